import HTTPTypes
package import TillCounter

extension StaffError: ProblemConvertible {
    package var problem: Problem {
        let status: HTTPResponse.Status
        switch self {
        case .journal(let error): return error.problem
        case .unknownPerson: status = .notFound
        case .nameTaken, .tooMany, .lastPerson, .lastManager, .severalPeople, .addedMeanwhile, .tooManyRoles,
            .builtInRole, .roleTaken, .roleInUse, .roleChanged, .tooManyPasskeys, .lastPasskey:
            status = .conflict
        case .pepperMissing, .pepperFile, .untrusted, .busy, .hashing:
            return self.problem(.serviceUnavailable).retrying(after: self == .busy ? ScryptQueue.patience : 1)
        case .invalidName, .cardNumber, .unknownRole, .unknownPermission, .invalidRoleName, .invalidLimit,
            .invalidPIN, .weakPIN, .invalidPassword, .weakPassword:
            status = .unprocessableContent
        }
        var problem = self.problem(status)
        if let field { problem.errors = [(field, what)] }
        return problem
    }

    /// The member of a request that the error is about; `nil` for what is about none, or about one of several names.
    private var field: String? {
        switch self {
        case .invalidName, .cardNumber, .nameTaken, .invalidRoleName, .builtInRole, .roleTaken: "name"
        case .unknownRole: "role"
        case .roleChanged: "tag"
        case .unknownPermission: "permissions"
        case .invalidPIN, .weakPIN: "pin"
        case .unknownPerson, .tooMany, .lastPerson, .lastManager, .severalPeople, .addedMeanwhile, .invalidLimit,
            .tooManyRoles, .roleInUse, .invalidPassword, .weakPassword, .tooManyPasskeys, .lastPasskey,
            .pepperMissing, .pepperFile, .untrusted, .busy, .hashing, .journal:
            nil
        }
    }
}
