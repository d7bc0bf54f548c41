#if canImport(AuthenticationServices) || TILL_SHELL_APART
    public import Foundation
    import TillCore
    #if TILL_SHELL_APART
        public import TillClient
        public import WebAuthenticationInterface
    #else
        public import AuthenticationServices
    #endif

    /// Bank pages in the system's own browser sheet (`ASWebAuthenticationSession`), which the app cannot read.
    ///
    /// The bank sends the customer back to the counter (`receipt_url`). Without a callback the customer closes the
    /// sheet there, and the counter is asked how it ended; with one, an address of the shop that belongs to the app
    /// closes it. One sheet at a time.
    @MainActor public final class WebAuthenticationChallengePresenter: NSObject, ChallengePresenter {
        private let anchor: ASPresentationAnchor
        /// Creates the sheet of an address and its end.
        private let sheet:
            @MainActor (URL, @escaping @Sendable (URL?, (any Error)?) -> Void) -> ASWebAuthenticationSession
        private var open: ASWebAuthenticationSession?

        /// - Parameters:
        ///   - anchor: the window above which the sheet is shown.
        ///   - scheme: the scheme of an address that ends the sheet. By default one that no page has.
        public init(anchor: ASPresentationAnchor, scheme: String = "till-checkout-closed") {
            self.anchor = anchor
            sheet = { address, end in
                ASWebAuthenticationSession(url: address, callbackURLScheme: scheme, completionHandler: end)
            }
        }

        /// - Parameters:
        ///   - anchor: the window above which the sheet is shown.
        ///   - callback: the address that ends the sheet, which may be one of `https`.
        @available(macOS 14.4, iOS 17.4, visionOS 1.1, *)
        public init(anchor: ASPresentationAnchor, callback: ASWebAuthenticationSession.Callback) {
            self.anchor = anchor
            sheet = { address, end in
                ASWebAuthenticationSession(url: address, callback: callback, completionHandler: end)
            }
        }

        /// Shows the page until the customer closes the sheet, the callback is reached, or the task is canceled.
        public func present(_ page: ChallengePage) async -> ChallengeEnd {
            guard open == nil, let address = URL(string: page.address) else { return .notShown }
            defer { open = nil }
            let answer = ChallengeAnswer()
            return await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    answer.wait(continuation)
                    // The system may call it on any thread.
                    let session = sheet(address) { @Sendable _, error in
                        let isClosed = (error as? ASWebAuthenticationSessionError)?.code == .canceledLogin
                        answer.end(error == nil ? .returned : isClosed ? .closed : .notShown)
                    }
                    session.presentationContextProvider = self
                    session.prefersEphemeralWebBrowserSession = true
                    open = session
                    answer.session = session
                    if !session.start() { answer.end(.notShown) }
                }
            } onCancel: {
                Task { @MainActor in
                    answer.session?.cancel()
                    // Whether the system reports its own cancellation is not documented.
                    answer.end(.closed)
                }
            }
        }
    }

    extension WebAuthenticationChallengePresenter: ASWebAuthenticationPresentationContextProviding {
        public func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor }
    }

    /// The end of a sheet, reported once, by whoever reports it first.
    private final class ChallengeAnswer: Sendable {
        /// The sheet, so that a late cancellation closes no other one.
        @MainActor var session: ASWebAuthenticationSession?
        private let waiting = Guarded<CheckedContinuation<ChallengeEnd, Never>?>(nil)

        func wait(_ continuation: CheckedContinuation<ChallengeEnd, Never>) {
            waiting.withLock { $0 = continuation }
        }

        func end(_ end: ChallengeEnd) {
            let continuation = waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }
            continuation?.resume(returning: end)
        }
    }
#endif
