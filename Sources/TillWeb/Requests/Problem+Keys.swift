import HTTPTypes
package import TillCounter

extension APIKeyError: ProblemConvertible {
    package var problem: Problem {
        switch self {
        case .journal(let error): error.problem
        case .unknown: problem(.notFound)
        case .revokedBefore, .expired, .madeBefore, .tooMany, .notRenewable: problem(.conflict)
        case .invalidWord(let word): .field(word.rawValue, what, code: code)
        case .invalidSpan, .invalidSession: problem(.unprocessableContent)
        }
    }
}
