package import TillWeb

extension PageAsset {
    /// The files of the counter's page, by path.
    package static let ofCounter: [String: PageAsset] = [
        "/account.js": script(PackageResources.account_js),
        "/approval.js": script(PackageResources.approval_js),
        "/attention.js": script(PackageResources.attention_js),
        "/attention-entry.js": script(PackageResources.attention_entry_js),
        "/attention-words.js": script(PackageResources.attention_words_js),
        "/counter.css": PageAsset(
            bytes: PackageResources.counter_css, type: "text/css; charset=utf-8", audience: .counter,
            isOfCustomers: true),
        "/counter.js": script(PackageResources.counter_js),
        "/design.css": style(PackageResources.design_css),
        "/frame.css": style(PackageResources.frame_css),
        "/card-networks.js": shared(CardNetworksScript.bytes),
        "/card-number.js": shared(PackageResources.card_number_js),
        "/cards.js": script(PackageResources.cards_js),
        "/dialog.js": script(PackageResources.dialog_js),
        "/docs.css": style(PackageResources.docs_css),
        "/docs.js": script(PackageResources.docs_js),
        "/docs-yaml.js": script(PackageResources.docs_yaml_js),
        "/dom.js": script(PackageResources.dom_js),
        "/gate.js": script(PackageResources.gate_js),
        "/latest.js": script(PackageResources.latest_js),
        "/money.js": script(PackageResources.money_js),
        "/notice.js": script(PackageResources.notice_js),
        "/office.js": script(PackageResources.office_js),
        "/open-orders.js": script(PackageResources.open_orders_js),
        "/order.js": script(PackageResources.order_js),
        "/passkeys.js": script(PackageResources.passkeys_js),
        "/payment.js": script(PackageResources.payment_js),
        "/payments.js": script(PackageResources.payments_js),
        "/payments-address.js": script(PackageResources.payments_address_js),
        "/payments-rows.js": script(PackageResources.payments_rows_js),
        "/pictures.js": script(PackageResources.pictures_js),
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
        "/typed-digits.js": shared(PackageResources.typed_digits_js),
        "/typed-fields.js": shared(PackageResources.typed_fields_js),
        "/views.js": script(PackageResources.views_js),
        "/openapi.yaml": PageAsset(
            bytes: PackageResources.openapi_yaml, type: "application/yaml", audience: .counter),
    ]

    /// A script that the card fields of customers' pages load, too.
    private static func shared(_ bytes: [UInt8]) -> PageAsset {
        PageAsset(bytes: bytes, type: script(bytes).type, audience: .counter, isOfCustomers: true)
    }
}
