select 's-' || range as slot_id, 'S+T' as subset, from range(1, 4)
