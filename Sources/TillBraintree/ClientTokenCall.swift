internal import TillCore

/// The API call that creates a client token for Braintree's card fields.
enum ClientTokenCall {
    /// The maximum length of a client token, in bytes. It is Base64 of a configuration.
    static let maximumBytes = 16_384
    static let query =
        "mutation CreateClientToken($input: CreateClientTokenInput!) { createClientToken(input: $input) "
        + "{ clientToken } }"

    static func body(merchantAccount: String) -> JSONValue {
        let input = JSONValue.members([
            "clientToken": .members(["merchantAccountId": .string(merchantAccount)])
        ])
        return .members([
            "query": .string(query), "operationName": .string("CreateClientToken"),
            "variables": .members(["input": input]),
        ])
    }

    /// Returns the token of a response; `nil` for one that has none, or one that is no Base64.
    static func token(_ json: JSONValue) -> Secret<String>? {
        guard let text = json.at("data", "createClientToken", "clientToken")?.stringValue,
            (1...maximumBytes).contains(text.utf8.count),
            text.utf8.allSatisfy({
                (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x39).contains($0)
                    || [0x2B, 0x2F, 0x3D, 0x2D, 0x5F].contains($0)
            })
        else { return nil }
        return Secret(text)
    }
}

extension BraintreeProvider {
    /// The time limit of a client token: a customer waits for the fields.
    static let clientTokenDeadline = Span.seconds(10)

    /// Returns a client token for payments in a currency; `nil` if the currency has no merchant account, or Braintree
    /// gives none at the moment. Moves no money.
    func clientToken(for currency: Currency) async -> Secret<String>? {
        guard let account = gateway.config.merchantAccounts[currency] else { return nil }
        return await gateway.clientToken(merchantAccount: account, within: BraintreeProvider.clientTokenDeadline)
    }
}
