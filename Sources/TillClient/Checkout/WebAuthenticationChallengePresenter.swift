#if canImport(AuthenticationServices)
    public import AuthenticationServices
    import Foundation

    /// Bank pages in the system's own browser sheet (`ASWebAuthenticationSession`), which the app cannot read.
    ///
    /// The bank sends the customer back to the counter (`receipt_url`). Without a callback the customer closes the
    /// sheet there, and the counter is asked how it ended; with one, an address of the shop that belongs to the app
    /// closes it.
    @MainActor public final class WebAuthenticationChallengePresenter: NSObject, ChallengePresenter {
        private let anchor: ASPresentationAnchor
        private let callback: ASWebAuthenticationSession.Callback
        private var open: ASWebAuthenticationSession?

        /// - Parameters:
        ///   - anchor: the window above which the sheet is shown.
        ///   - callback: the address that ends the sheet. By default a scheme that no page has.
        public init(
            anchor: ASPresentationAnchor,
            callback: ASWebAuthenticationSession.Callback = .customScheme("till-checkout-closed")
        ) {
            self.anchor = anchor
            self.callback = callback
        }

        public func present(_ page: ChallengePage) async -> ChallengeEnd {
            guard open == nil, let address = URL(string: page.address) else { return .notShown }
            return await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let session = ASWebAuthenticationSession(url: address, callback: callback) { _, error in
                        let isClosed = (error as? ASWebAuthenticationSessionError)?.code == .canceledLogin
                        continuation.resume(returning: error == nil ? .returned : isClosed ? .closed : .notShown)
                    }
                    session.presentationContextProvider = self
                    session.prefersEphemeralWebBrowserSession = true
                    open = session
                    // A session that cannot start reports that to its handler.
                    _ = session.start()
                }
            } onCancel: {
                Task { @MainActor in self.open?.cancel() }
            }
        }
    }

    extension WebAuthenticationChallengePresenter: ASWebAuthenticationPresentationContextProviding {
        public func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor }
    }
#endif
