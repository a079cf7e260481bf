select 'recovery' as step, 'all' as slice, 0.9 as precision, 0.8 as recall, 9 as predicted_count, 10 as true_count,
