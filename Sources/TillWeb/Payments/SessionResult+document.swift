package import TillCore

extension JSONValue {
    /// Returns the result of a customer's session, the only member of a request's body.
    package func sessionResult() throws -> SessionResult {
        try allow(["session_result"])
        guard let given = try self.text("session_result", atMost: SessionResult.maximumBytes),
            let result = SessionResult(given)
        else {
            throw Problem.field(
                "session_result",
                "It must be the result that Adyen's components or SDK report at the end of a session.")
        }
        return result
    }
}
