import HTTPTypes
import Hummingbird
import TillCounter

/// Validation of a request's host (RFC 9112, 3.2). With two hosts a proxy and the counter might each use a different
/// one.
enum RequestHost {
    /// The maximum length: a name of 253 bytes, or an address, and a port.
    static let maximumBytes = 260
    /// The `Host` field. The first one becomes the request's authority; further ones stay in the header fields.
    private static let name = HTTPField.Name.literal("Host")

    /// - Throws: ``Problem`` with 400 for more than one host, and for an invalid one.
    static func check(_ request: Request) throws(Problem) {
        let host = request.head.authority ?? ""
        guard !request.headers.contains(name), host.utf8.count <= maximumBytes, host.utf8.allSatisfy(isUsable) else {
            var problem = Problem(
                .badRequest, "host_invalid",
                "The request names more than one host, or none that can be one. "
                    + "Nothing was done.", next: "Send one Host field with a name and a port.")
            problem.headers[.connection] = "close"
            throw problem
        }
    }

    private static func isUsable(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7A, 0x41...0x5A, 0x30...0x39, 0x2D, 0x2E, 0x3A, 0x5B, 0x5D, 0x5F, 0x7E, 0x25: true
        default: false
        }
    }
}
