import HTTPTypes
import Hummingbird

/// The size limits of a request head.
enum HeadLimits {
    /// The maximum size of a header field, name and value together.
    static let fieldBytes = 16 << 10
    /// The maximum size of all header fields together.
    static let bytes = 32 << 10
    /// The maximum number of header fields.
    static let fields = 100
    static let addressBytes = 8 << 10

    /// - Throws: ``Problem`` with 414 or 431.
    static func check(_ request: Request) throws {
        guard request.uri.string.utf8.count <= addressBytes else {
            throw Problem(
                .uriTooLong, "address_too_long", "The address is longer than \(addressBytes) bytes.",
                next: "Put what is long into the body.")
        }
        var sum = 0
        var count = 0
        for field in request.headers {
            let length = field.name.rawName.utf8.count + field.value.utf8.count
            guard length <= fieldBytes else { throw tooLarge }
            sum += length
            count += 1
        }
        guard sum <= bytes, count <= fields else { throw tooLarge }
    }

    private static var tooLarge: Problem {
        Problem(
            .requestHeaderFieldsTooLarge, "header_too_large",
            "The header has more than \(fields) fields, \(fieldBytes) bytes in one, or \(bytes) bytes in all.",
            next: "Send a smaller header.")
    }
}
