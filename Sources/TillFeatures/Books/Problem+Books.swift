import HTTPTypes
package import TillBooks
package import TillJournal
package import TillWeb

extension IncidentRefusal: ProblemConvertible {
    package var problem: Problem {
        switch self {
        case .unknown: problem(.notFound)
        case .outcomeMissing, .orderMissing: problem(.unprocessableContent)
        case .resolvedBefore, .nothingInSuspense, .nothingWrittenOff: problem(.conflict)
        }
    }
}

extension StatementRefusal: ProblemConvertible {
    package var problem: Problem { problem(.unprocessableContent) }
}
