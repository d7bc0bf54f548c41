import HTTPTypes
package import TillHardware
package import TillWeb

extension CardReaderServiceError: ProblemConvertible {
    package var problem: Problem { problem(.conflict) }
}

extension SimulatedCardError: ProblemConvertible {
    package var problem: Problem { .field("tender.card", description) }
}
