import HTTPTypes
package import TillCounter

extension StaffError: ProblemConvertible {
    package var problem: Problem {
        let status: HTTPResponse.Status
        switch self {
        case .journal(let error): return error.problem
        case .unknownPerson: status = .notFound
        case .nameTaken, .tooMany, .lastPerson, .severalPeople, .addedMeanwhile, .tooManyRoles, .builtInRole,
            .roleInUse, .tooManyPasskeys, .lastPasskey:
            status = .conflict
        case .pepperMissing, .pepperFile, .untrusted, .busy, .hashing:
            return problem(.serviceUnavailable).retrying(after: self == .busy ? ScryptQueue.patience : 1)
        case .invalidName, .cardNumber, .unknownRole, .unknownPermission, .invalidRoleName, .invalidLimit,
            .invalidPIN, .weakPIN, .invalidPassword, .weakPassword:
            status = .unprocessableContent
        }
        return problem(status)
    }
}
