import TillCore

/// An object of the stand-in that consists of its fields only.
struct StripeThing: Sendable {
    let id: String
    /// The owner of the key that created the object; empty where every key of the account sees it.
    let owner: String
    /// The order of creation.
    let order: Int
    var fields: [JSONMember]

    var json: JSONValue { .object(fields) }

    /// The time of creation, in seconds since 1970.
    var created: Int64 { self["created"]?.int64Value ?? 0 }

    subscript(name: String) -> JSONValue? {
        get { fields.first { $0.key == name }?.value }
        set {
            if let index = fields.firstIndex(where: { $0.key == name }) {
                fields[index].value = newValue ?? .null
            } else {
                fields.append(JSONMember(key: name, value: newValue ?? .null))
            }
        }
    }
}
