import HTTPTypes
package import Hummingbird
import NIOCore
import TillCards
import TillCore

/// A file loaded by a page. Each feature with pages has a table of its files, by path; a page itself is served by its
/// route with its own policy.
package struct PageAsset: Sendable {
    /// The pages that may load a file.
    package enum Audience: Sendable {
        /// The counter's own page.
        case counter
        /// Pages of other, registered domains; the file contains no user data.
        case anyOrigin
        /// Pages of any origin, at a counter in the sandbox only.
        case sandbox
    }

    private let content: @Sendable () -> [UInt8]
    package let type: String
    package let audience: Audience
    /// `true` if customers' pages load it too.
    package let isOfCustomers: Bool

    /// - Parameter bytes: The content, evaluated when it is asked for: no file is made or read for a counter to start.
    package init(
        bytes: @autoclosure @escaping @Sendable () -> [UInt8], type: String, audience: Audience,
        isOfCustomers: Bool = false
    ) {
        content = bytes
        (self.type, self.audience, self.isOfCustomers) = (type, audience, isOfCustomers)
    }

    package var bytes: [UInt8] { content() }

    /// The audience of its route.
    package var reader: RouteAudience { audience == .counter && !isOfCustomers ? .clerk : .customer }

    package var response: Response {
        var response = Response(
            status: .ok, headers: [.contentType: type, .cacheControl: "no-cache"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        if audience != .counter { response.headers[CounterResponder.resourcePolicy] = "cross-origin" }
        return response
    }

    /// Creates a page, which is not in a table: its route adds the policy.
    package static func page(
        _ bytes: @autoclosure @escaping @Sendable () -> [UInt8], _ audience: Audience
    ) -> PageAsset {
        PageAsset(bytes: bytes(), type: "text/html; charset=utf-8", audience: audience)
    }

    package static func script(
        _ bytes: @autoclosure @escaping @Sendable () -> [UInt8], _ audience: Audience = .counter
    ) -> PageAsset {
        PageAsset(bytes: bytes(), type: "text/javascript; charset=utf-8", audience: audience)
    }

    package static func style(
        _ bytes: @autoclosure @escaping @Sendable () -> [UInt8], _ audience: Audience = .counter
    ) -> PageAsset {
        PageAsset(bytes: bytes(), type: "text/css; charset=utf-8", audience: audience)
    }
}
