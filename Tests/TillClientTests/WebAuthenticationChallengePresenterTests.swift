#if os(Linux)
    import Foundation
    import Testing
    import TillClient
    import TillClientShell
    import WebAuthenticationInterface

    @Suite("Bank pages in the system's sheet", .serialized) @MainActor
    struct WebAuthenticationChallengePresenterTests {
        private let presenter = WebAuthenticationChallengePresenter(anchor: ASPresentationAnchor())

        private func sheet(after count: Int) async -> ASWebAuthenticationSession? {
            while ASWebAuthenticationSession.shown.count <= count { await Task.yield() }
            return ASWebAuthenticationSession.shown.last
        }

        @Test("a sheet ends as the system reports it, and the next page has a sheet of its own")
        func ends() async throws {
            let page = try #require(ChallengePage("https://bank.example/3ds"))
            let reports: [((any Error)?, ChallengeEnd)] = [
                (nil, .returned), (ASWebAuthenticationSessionError(.canceledLogin), .closed),
                (ASWebAuthenticationSessionError(.presentationContextInvalid), .notShown),
            ]
            for (error, end) in reports {
                let count = ASWebAuthenticationSession.shown.count
                let presenter = presenter
                let running = Task { await presenter.present(page) }
                let sheet = try #require(await sheet(after: count))
                #expect(sheet.url.absoluteString == page.address && sheet.prefersEphemeralWebBrowserSession)
                #expect(await presenter.present(page) == .notShown, "one at a time")
                sheet.end(nil, error)
                #expect(await running.value == end)
            }
            ASWebAuthenticationSession.starts = false
            #expect(await presenter.present(page) == .notShown)
            ASWebAuthenticationSession.starts = true
        }

        @Test("a canceled task closes its sheet, whether or not the system says so")
        func cancels() async throws {
            let page = try #require(ChallengePage("https://bank.example/3ds"))
            for saysSo in [false, true] {
                let count = ASWebAuthenticationSession.shown.count
                let presenter = presenter
                let running = Task { await presenter.present(page) }
                let sheet = try #require(await sheet(after: count))
                running.cancel()
                #expect(await running.value == .closed)
                #expect(sheet.isCanceled)
                if saysSo { sheet.end(nil, ASWebAuthenticationSessionError(.canceledLogin)) }
            }
        }
    }
#endif
