/// What a key may do.
enum ShopPermissions: String, Sendable {
    case read
    case write
    case readWrite = "read_write"

    /// Returns the right that a method needs and this key lacks; `nil` if the call is allowed.
    func lacking(_ method: String) -> String? {
        switch method {
        case "GET", "HEAD": self == .write ? "read" : nil
        case "POST", "PUT", "PATCH", "DELETE": self == .read ? "write" : nil
        default: nil
        }
    }
}
