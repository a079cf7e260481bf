"""What all contracts share: members that are all known, and numbers in [0, 1]."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Fraction = Annotated[float, Field(ge=0, le=1)]


class Strict(BaseModel):
    """A record that does not change: an unknown member is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)
