"""The parts that the load stage tried, and what came of each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..facts.load import LoadFacts, PartFact, RefusedTrainer
from ..observe.module_cycle import place_of_cycle
from ..observe.refused_trainer import find_refused_trainer
from .hidden_modules import find_hidden_modules
from .part_problems import problem_of

if TYPE_CHECKING:
    from ..report import Location
    from ..session import Session


@dataclass
class PartRecord:
    """The parts that were tried, in the order of building.

    Attributes:
        session: What all stages share.
        parts: One fact a part.
        values: What was built, by the name of the part; None where it failed or cannot serve.
        refused_trainer: What a Trainer was given whose constructor raised.
    """

    session: Session
    parts: list[PartFact] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)
    refused_trainer: RefusedTrainer | None = None

    def take(self, name: str, value: Any, origin: str, location: Location | None = None) -> None:
        """Note a part that was built; it is kept if it can serve as what it is meant to be."""
        problem = problem_of(name, value)
        cycle = place_of_cycle(value) if name == "model" and not problem else ""
        problem = problem or ("it contains itself" if cycle else "")
        self.values[name] = None if problem else value
        fact = PartFact(
            name,
            origin,
            type(value).__name__,
            location=location,
            problem=problem,
            has_length=hasattr(type(value), "__len__") if name == "dataset" else None,
            cycle=cycle,
        )
        self.parts.append(fact)

    def fail(
        self, name: str, origin: str, error: BaseException, location: Location | None = None
    ) -> None:
        """Note a part whose building raised."""
        if name == "trainer":
            self.refused_trainer = find_refused_trainer(error)
        fact = self.session.fact(error)
        self.parts.append(PartFact(name, origin, location=location, error=fact))

    def is_good(self, name: str) -> bool:
        """Whether nothing went wrong with this part, also if it was not tried."""
        return not any(p.name == name and (p.error or p.problem) for p in self.parts)

    @property
    def is_faultless(self) -> bool:
        """Whether nothing went wrong with any part."""
        return not any(part.error or part.problem for part in self.parts)

    def facts(self) -> LoadFacts:
        """What building the parts showed until now."""
        return LoadFacts(
            tuple(self.parts),
            hidden_modules=find_hidden_modules(self.session.code),
            refused_trainer=self.refused_trainer,
        )

    @property
    def summary(self) -> str:
        """`model, dataset built`."""
        built = [part.name for part in self.parts if not part.error and not part.problem]
        return ", ".join(dict.fromkeys(built)) + (" built" if built else "")
