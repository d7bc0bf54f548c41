package import HTTPTypes
import Hummingbird
package import Logging
package import TillCore

/// The context passed from the router to a route. Copies share ``label``, so the matched route is known afterwards,
/// even if the route threw.
package struct RouteContext: RequestContext {
    /// The source of a context: a counter provides only its logger, not a channel.
    package struct Source: RequestContextSource {
        package let logger: Logger
        package let method: HTTPRequest.Method

        package init(logger: Logger, method: HTTPRequest.Method) {
            self.logger = logger
            self.method = method
        }
    }

    var coreContext: CoreRequestContextStorage
    /// The client's method, even during path-only matching.
    package let method: HTTPRequest.Method

    package init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        method = source.method
    }

    /// The route's template, as in metrics and traces; `unknown` until a route is found.
    package var label: String {
        get { coreContext.endpointPath.value ?? "unknown" }
        nonmutating set { coreContext.endpointPath.value = newValue }
    }
}

extension Parameters {
    /// Returns a percent-decoded identifier of the path.
    /// - Throws: ``Problem/notFound`` for an invalid identifier.
    package func identifier<Name: Identifier>(_ name: Substring = "id", as type: Name.Type = Name.self) throws(Problem)
        -> Name
    {
        guard let text = self[name]?.removingURLPercentEncoding(), let identifier = Name(ifValid: text) else {
            throw Problem.notFound
        }
        return identifier
    }

    /// Returns a percent-decoded component of the path.
    /// - Throws: ``Problem/notFound`` for invalid UTF-8.
    package func text(_ name: Substring) throws(Problem) -> String {
        guard let text = self[name]?.removingURLPercentEncoding() else { throw Problem.notFound }
        return text
    }

    /// Returns a path component that is forwarded in a provider's URL: 1 to 128 visible ASCII characters as received,
    /// without percent signs, so that it cannot change the URL's target.
    /// - Throws: ``Problem/notFound`` for anything else.
    package func literal(_ name: Substring = "id") throws(Problem) -> String {
        guard let text = self[name], (1...128).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "%") })
        else { throw Problem.notFound }
        return String(text)
    }
}

extension Substring {
    /// Returns the percent-decoded text; `nil` if it is not valid UTF-8.
    func removingURLPercentEncoding() -> String? {
        guard utf8.contains(UInt8(ascii: "%")) else { return String(self) }
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                return nil
            }
            rest = rest.dropFirst(2)
            bytes.append(value)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
