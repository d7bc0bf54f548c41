import TillCore

/// A request as it was received.
struct ShopCall: Sendable {
    var method: String
    /// The path as it was received, without the query.
    var path: String
    var query: PHPParameters
    var authorization: String?
    var contentType: String?
    var isSecure: Bool
    var body: [UInt8]

    /// The decoded parts of the path.
    var parts: [String] { path.split(separator: "/").map { PercentCoding.decode($0) } }

    /// Reads the body; one of another type than JSON has no members.
    func json() throws(ShopRefusal) -> ShopBody {
        guard !body.isEmpty, contentType?.lowercased().hasPrefix("application/json") == true else {
            return ShopBody(json: .object([]))
        }
        guard let json = JSONValue(ifValid: body) else {
            throw .init(.error(400, "rest_invalid_json", "Invalid JSON body passed."))
        }
        guard json.objectValue != nil else { return ShopBody(json: .object([])) }
        return ShopBody(json: json)
    }
}
