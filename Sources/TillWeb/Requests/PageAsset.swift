import HTTPTypes
package import Hummingbird
import TillCards
import TillCore

/// A file loaded by a page. Each feature with pages has a table of its files, by path; a page itself is served by its
/// route with its own policy. A file is the same for every client and holds no secret and nothing of the request, so
/// that it may be compressed: the length of a compressed secret beside a client's own text would tell it (BREACH).
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
    private let forms = FileForms()
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

    /// `true` for text. Pictures are compressed already.
    private var isText: Bool {
        type.hasPrefix("text/") || type.hasPrefix("image/svg+xml") || type == "application/yaml"
    }

    /// Answers a request with the file, as gzip where the client takes that; with 304 if the client has it already.
    /// A browser asks at each use whether it still has the file of this version (`no-cache`).
    package func response(to request: Request) -> Response {
        let coding: FileForms.Coding =
            isText && AcceptedCodings(request.headers[.acceptEncoding]).prefersGzip ? .gzip : .identity
        let form = forms.form(coding, of: content)
        var response: Response
        if EntityTag.isKnown(form.tag, to: request.headers[.ifNoneMatch]) {
            response = Response(status: .notModified)
        } else {
            response = Response(
                status: .ok, headers: [.contentType: type], body: ResponseBody(byteBuffer: form.body))
            if form.isGzip { response.headers[.contentEncoding] = "gzip" }
        }
        response.headers[.eTag] = form.tag
        response.headers[.cacheControl] = "no-cache"
        if isText { response.headers[.vary] = "Accept-Encoding" }
        if audience != .counter { response.headers[CounterResponder.resourcePolicy] = "cross-origin" }
        return response
    }

    /// Creates a page, which is not in a table: its route adds the policy. One that is made of parts is kept in
    /// ``MadePages``.
    package static func page(
        _ bytes: @autoclosure @escaping @Sendable () -> [UInt8], _ audience: Audience
    ) -> PageAsset {
        PageAsset(bytes: bytes(), type: "text/html; charset=utf-8", audience: audience)
    }

    /// Creates a script. That of the counter's own pages has its comments in the file only; one that other pages load
    /// is what whoever puts it there can read.
    package static func script(
        _ bytes: @autoclosure @escaping @Sendable () -> [UInt8], _ audience: Audience = .counter
    ) -> PageAsset {
        PageAsset(
            bytes: audience == .counter ? ScriptComments.removed(from: bytes()) : bytes(),
            type: "text/javascript; charset=utf-8", audience: audience)
    }

    package static func style(
        _ bytes: @autoclosure @escaping @Sendable () -> [UInt8], _ audience: Audience = .counter
    ) -> PageAsset {
        PageAsset(bytes: bytes(), type: "text/css; charset=utf-8", audience: audience)
    }
}
