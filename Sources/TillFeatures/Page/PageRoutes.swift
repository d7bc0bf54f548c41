import HTTPTypes
import Hummingbird
package import TillCore
import TillCounter
package import TillWeb

/// The files of the counter's own page. They contain no data before sign-in.
package struct PageRoutes: Sendable {
    package let mode: PaymentMode
    package let clock: any TillClock
    /// `true` if the default provider takes typed cards.
    package let takesCards: Bool
    private let made = MadePages()

    package init(mode: PaymentMode, clock: any TillClock, takesCards: Bool) {
        self.mode = mode
        self.clock = clock
        self.takesCards = takesCards
    }

    /// The banner of the page in test mode. A page that is translated puts it into its language.
    private static let testMark =
        #"<aside class="test-mode" data-say="top.test" data-say-label="top.testName" aria-label="Test mode">"#
        + #"TEST – no real money moves</aside>"#

    /// The banner of the page while the machine's clock is in doubt.
    private var clockMark: String {
        guard let doubt = clock.standing.doubt else { return "" }
        return "<aside class=\"clock-doubt\" lang=\"en\" dir=\"ltr\" role=\"alert\">\(doubt.sentence) "
            + "Set the clock of this machine. Payments can be taken; what only the time decides waits.</aside>"
    }

    /// The addresses of the settings: all of them, and each section.
    package static let settings =
        ["/settings"]
        + [
            "readers", "printers", "receipts", "staff", "keys", "shops", "webhooks", "providers", "audit", "backups",
            "health",
        ].map { "/settings/" + $0 }

    package func register(on router: CounterRouter) {
        router.open([.get, .head], "/", for: .clerk, query: .any) { request, _ in
            page("counter", PackageResources.counter_html, to: request)
        }
        router.open([.get, .head], "/payments", for: .clerk, query: .any) { request, _ in
            page("payments", PackageResources.payments_html, to: request)
        }
        router.open([.get, .head], "/payments/{id}", for: .clerk) { request, _ in
            page("one-payment", PackageResources.one_payment_html, to: request)
        }
        router.open([.get, .head], "/day", for: .clerk, query: .any) { request, _ in
            page("day", PackageResources.day_html, to: request)
        }
        router.open([.get, .head], "/insights", for: .clerk, query: .any) { request, _ in
            page("insights", PackageResources.insights_html, to: request)
        }
        for path in PageRoutes.settings {
            router.open([.get, .head], path, for: .clerk) { request, _ in
                page("settings", PackageResources.settings_html, to: request)
            }
        }
        router.open([.get, .head], "/docs", for: .clerk) { request, _ in docs(to: request) }
        for assets in [PageAsset.ofCounter, PageAsset.ofWords] {
            for (path, asset) in assets {
                router.open([.get, .head], path, for: asset.reader) { request, _ in asset.response(to: request) }
            }
        }
    }

    /// The page of the interface, made by its script of `/openapi.yaml`.
    private func docs(to request: Request) -> Response {
        let mark = mode == .live ? "" : "<p class=\"test\">TEST – no real money moves</p>"
        let page = made.page(
            "docs", .counter,
            Array(String(decoding: PackageResources.docs_html, as: UTF8.self).replacing("{mark}", with: mark).utf8))
        var response = page.response(to: request)
        response.headers[.contentSecurityPolicy] =
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; "
            + "form-action 'none'; frame-ancestors 'none'"
        return response
    }

    private func page(_ name: String, _ html: @autoclosure () -> [UInt8], to request: Request) -> Response {
        let marks = (mode == .live ? "" : PageRoutes.testMark) + clockMark
        let body = (takesCards ? "<body>" : "<body data-cards=\"none\">") + (marks.isEmpty ? "" : "\n" + marks)
        let page = made.page(
            name + body, .counter,
            Array(String(decoding: html(), as: UTF8.self).replacing("<body>", with: body).utf8))
        var response = page.response(to: request)
        response.headers[.contentSecurityPolicy] =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
            + "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        // An opener has no access to the page's window.
        response.headers[HTTPField.Name.literal("Cross-Origin-Opener-Policy")] = "same-origin"
        return response
    }
}
