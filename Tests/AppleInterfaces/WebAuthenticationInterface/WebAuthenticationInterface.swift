// The part of the public interface of AuthenticationServices for browser sheets that the adapter uses, declared so that
// it is type-checked and run where the framework is not. It shows no page: what the person does is set by a test. It is
// in no product, and has another name than the framework, since packages that find that one would take this for it.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What each is for stands in Apple's documentation.
public import Foundation

@MainActor
open class ASPresentationAnchor: NSObject {
    public override init() {}
}

@MainActor
public protocol ASWebAuthenticationPresentationContextProviding: AnyObject {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

public struct ASWebAuthenticationSessionError: Error {
    public enum Code: Int, Sendable {
        case canceledLogin = 1
        case presentationContextNotProvided
        case presentationContextInvalid
    }
    public let code: Code
    public init(_ code: Code) { self.code = code }
}

@MainActor
public final class ASWebAuthenticationSession: NSObject {
    public struct Callback: Sendable {
        public let scheme: String?
        public nonisolated static func customScheme(_ scheme: String) -> Callback { Callback(scheme: scheme) }
        public nonisolated static func https(host: String, path: String) -> Callback { Callback(scheme: nil) }
    }
    public typealias CompletionHandler = (URL?, (any Error)?) -> Void

    /// The sheets that were shown, newest last, for a test.
    public static var shown: [ASWebAuthenticationSession] = []
    /// `false` has the next sheet not start.
    public static var starts = true

    public let url: URL
    public weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
    public var prefersEphemeralWebBrowserSession = false
    /// Ends the sheet, as the person or the page does.
    public let end: CompletionHandler
    public private(set) var isCanceled = false

    public init(url: URL, callbackURLScheme: String?, completionHandler: @escaping CompletionHandler) {
        self.url = url
        end = completionHandler
    }

    public init(url: URL, callback: Callback, completionHandler: @escaping CompletionHandler) {
        self.url = url
        end = completionHandler
    }

    public func start() -> Bool {
        guard ASWebAuthenticationSession.starts, presentationContextProvider != nil else { return false }
        ASWebAuthenticationSession.shown.append(self)
        return true
    }

    public func cancel() { isCanceled = true }
}
