import HTTPTypes
package import TillCounter

extension Problem {
    /// Maps a staff error to its HTTP problem.
    package init(staff error: StaffError) {
        if case .journal(let error) = error {
            self.init(error)
            return
        }
        let status: HTTPResponse.Status =
            switch error {
            case .unknownPerson: .notFound
            case .nameTaken, .tooMany, .lastPerson, .severalPeople, .addedMeanwhile, .tooManyRoles, .builtInRole,
                .roleInUse,
                .tooManyPasskeys, .lastPasskey:
                .conflict
            case .pepperMissing, .pepperFile, .untrusted, .busy, .hashing, .journal: .serviceUnavailable
            case .invalidName, .cardNumber, .unknownRole, .unknownPermission, .invalidRoleName, .invalidLimit,
                .invalidPIN, .weakPIN, .invalidPassword, .weakPassword:
                .unprocessableContent
            }
        self.init(status, error.code, error.what, next: error.next)
        if status == .serviceUnavailable { self = retrying(after: error == .busy ? ScryptQueue.patience : 1) }
    }
}
