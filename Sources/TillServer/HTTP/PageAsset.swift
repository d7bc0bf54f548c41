import HTTPTypes
import Hummingbird
import NIOCore
import TillCards
import TillCore

/// A file loaded by a page. All of them are in one table, by path; a page itself is served by its route with its own
/// policy.
struct PageAsset: Sendable {
    /// The pages that may load a file.
    enum Audience: Sendable {
        /// The counter's own page.
        case counter
        /// Pages of other, registered domains; the file contains no user data.
        case anyOrigin
        /// Pages of any origin, at a counter in the sandbox only.
        case sandbox
    }

    let bytes: [UInt8]
    let type: String
    let audience: Audience
    /// `true` if customers' pages load it too.
    var isOfCustomers = false

    /// The audience of its route.
    var reader: RouteAudience { audience == .counter && !isOfCustomers ? .clerk : .customer }

    var response: Response {
        var response = Response(
            status: .ok, headers: [.contentType: type, .cacheControl: "no-cache"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        if audience != .counter { response.headers[CounterResponder.resourcePolicy] = "cross-origin" }
        return response
    }

    /// Creates a page, which is not in the table: its route adds the policy.
    static func page(_ bytes: [UInt8], _ audience: Audience) -> PageAsset {
        PageAsset(bytes: bytes, type: "text/html; charset=utf-8", audience: audience)
    }

    private static func script(_ bytes: [UInt8], _ audience: Audience = .counter) -> PageAsset {
        PageAsset(bytes: bytes, type: "text/javascript; charset=utf-8", audience: audience)
    }

    private static func style(_ bytes: [UInt8], _ audience: Audience = .counter) -> PageAsset {
        PageAsset(bytes: bytes, type: "text/css; charset=utf-8", audience: audience)
    }

    /// Every file, by path.
    static let all: [String: PageAsset] = [
        "/account.js": script(PackageResources.account_js),
        "/approval.js": script(PackageResources.approval_js),
        "/attention.js": script(PackageResources.attention_js),
        "/attention-entry.js": script(PackageResources.attention_entry_js),
        "/attention-words.js": script(PackageResources.attention_words_js),
        "/counter.css": PageAsset(
            bytes: PackageResources.counter_css, type: "text/css; charset=utf-8", audience: .counter,
            isOfCustomers: true),
        "/counter.js": script(PackageResources.counter_js),
        "/card-networks.js": script(CardNetworksScript.bytes),
        "/card-number.js": script(PackageResources.card_number_js),
        "/cards.js": script(PackageResources.cards_js),
        "/dialog.js": script(PackageResources.dialog_js),
        "/dom.js": script(PackageResources.dom_js),
        "/gate.js": script(PackageResources.gate_js),
        "/latest.js": script(PackageResources.latest_js),
        "/money.js": script(PackageResources.money_js),
        "/notice.js": script(PackageResources.notice_js),
        "/office.js": script(PackageResources.office_js),
        "/order.js": script(PackageResources.order_js),
        "/passkeys.js": script(PackageResources.passkeys_js),
        "/payment.js": script(PackageResources.payment_js),
        "/questions.js": script(PackageResources.questions_js),
        "/readers.js": script(PackageResources.readers_js),
        "/receipts.js": script(PackageResources.receipts_js),
        "/requests.js": script(PackageResources.requests_js),
        "/review.js": script(PackageResources.review_js),
        "/sale.js": script(PackageResources.sale_js),
        "/session.js": script(PackageResources.session_js),
        "/shown.js": script(PackageResources.shown_js),
        "/statements.js": script(PackageResources.statements_js),
        "/sign-in.js": script(PackageResources.sign_in_js),
        "/staff.js": script(PackageResources.staff_js),
        "/stored.js": script(PackageResources.stored_js),
        "/tap.js": script(PackageResources.tap_js),
        "/typed-digits.js": script(PackageResources.typed_digits_js),
        "/views.js": script(PackageResources.views_js),
        "/openapi.yaml": PageAsset(
            bytes: PackageResources.openapi_yaml, type: "application/yaml", audience: .counter),
        "/applepay/client.js": script(PackageResources.applepay_client_js, .anyOrigin),
        "/applepay/outcome.js": script(PackageResources.outcome_js, .anyOrigin),
        "/applepay/client.css": style(PackageResources.applepay_client_css, .anyOrigin),
        "/applepay/icon.png": PageAsset(
            bytes: PackageResources.applepay_icon_png, type: "image/png", audience: .anyOrigin),
        "/applepay/openapi.yaml": PageAsset(
            bytes: PackageResources.applepay_openapi_yaml, type: "application/yaml", audience: .anyOrigin),
        "/applepay/simulator.js": script(PackageResources.applepay_simulator_js, .sandbox),
        "/applepay/simulator.css": style(PackageResources.applepay_simulator_css, .sandbox),
        "/shop/shop.js": script(PackageResources.applepay_shop_js, .sandbox),
        "/shop/shop.css": style(PackageResources.applepay_shop_css, .sandbox),
    ]
}
