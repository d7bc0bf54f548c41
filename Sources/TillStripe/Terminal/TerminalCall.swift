internal import TillCore
internal import TillProvider

/// The calls of Stripe's Terminal API, as requests; nothing is sent here.
enum TerminalCall {
    static let locations = "/v1/terminal/locations"
    static let readers = "/v1/terminal/readers"
    static let configurations = "/v1/terminal/configurations"
    /// The page size, Stripe's maximum.
    static let page: Int64 = 100

    static func location(_ id: String) -> String { "\(locations)/\(FormEncoding.quote(id))" }
    static func reader(_ id: String, _ verb: String? = nil) -> String {
        "\(readers)/\(FormEncoding.quote(id))" + (verb.map { "/\($0)" } ?? "")
    }
    static func configuration(_ id: String) -> String { "\(configurations)/\(FormEncoding.quote(id))" }
    private static func helper(_ id: String, _ verb: String) -> String {
        "/v1/test_helpers/terminal/readers/\(FormEncoding.quote(id))/\(verb)"
    }

    // MARK: Places

    static func putLocation(_ id: String?, _ draft: TerminalLocationDraft, key: IdempotencyKey) -> StripeRequest {
        var form = TerminalForm()
        form.put("display_name", draft.displayName)
        if let address = draft.address {
            form.put("address[line1]", address.line1)
            form.put("address[line2]", address.line2)
            form.put("address[city]", address.city)
            form.put("address[state]", address.state)
            form.put("address[country]", address.country)
            form.put("address[postal_code]", address.postalCode)
        }
        form.put("phone", draft.phone)
        form.put("configuration_overrides", draft.configuration)
        form.put("metadata", draft.metadata)
        return .post(id.map { location($0) } ?? locations, form.fields, key: key)
    }

    static func listLocations(after: String?) -> StripeRequest { .get(locations, paging(after)) }

    // MARK: Readers

    static func register(
        code: String, label: String?, location: String?, metadata: [String: String], key: IdempotencyKey
    ) -> StripeRequest {
        var form = TerminalForm()
        form.put("registration_code", code)
        form.put("label", label)
        form.put("location", location)
        form.put("metadata", metadata)
        return .post(readers, form.fields, key: key)
    }

    static func updateReader(_ id: String, label: String, key: IdempotencyKey) -> StripeRequest {
        .post(reader(id), [("label", label)], key: key)
    }

    static func listReaders(_ filter: TerminalReaderFilter, limit: Int64 = page, after: String?) -> StripeRequest {
        var form = TerminalForm()
        form.put("device_type", filter.deviceType?.rawValue)
        form.put("location", filter.location)
        form.put("serial_number", filter.serialNumber)
        form.put("status", filter.status?.rawValue)
        form.put("limit", limit)
        form.put("starting_after", after)
        return .get(readers, form.fields)
    }

    // MARK: Configurations and tokens

    static func putConfiguration(
        _ id: String?, _ draft: TerminalConfigurationDraft, key: IdempotencyKey
    ) -> StripeRequest {
        .post(id.map { configuration($0) } ?? configurations, draft.fields, key: key)
    }

    static func listConfigurations(isAccountDefault: Bool?, after: String? = nil) -> StripeRequest {
        var form = TerminalForm()
        form.put("is_account_default", isAccountDefault)
        return .get(configurations, form.fields + paging(after))
    }

    static func connectionToken(location: String?, key: IdempotencyKey) -> StripeRequest {
        .post("/v1/terminal/connection_tokens", location.map { [("location", $0)] } ?? [], key: key)
    }

    // MARK: Actions

    static func process(
        _ id: String, _ intent: ProviderReference, _ settings: TerminalCollection, key: IdempotencyKey
    ) -> StripeRequest {
        var form = TerminalForm()
        form.put("payment_intent", intent.rawValue)
        settings.put(into: &form, "process_config")
        form.put("process_config[return_url]", settings.returnURL)
        return .post(reader(id, "process_payment_intent"), form.fields, key: key)
    }

    static func collect(
        _ id: String, _ intent: ProviderReference, _ settings: TerminalCollection, key: IdempotencyKey
    ) -> StripeRequest {
        var form = TerminalForm()
        form.put("payment_intent", intent.rawValue)
        settings.put(into: &form, "collect_config")
        return .post(reader(id, "collect_payment_method"), form.fields, key: key)
    }

    static func confirm(
        _ id: String, _ intent: ProviderReference, returnURL: String? = nil, key: IdempotencyKey
    ) -> StripeRequest {
        var form = TerminalForm()
        form.put("payment_intent", intent.rawValue)
        form.put("confirm_config[return_url]", returnURL)
        return .post(reader(id, "confirm_payment_intent"), form.fields, key: key)
    }

    static func processSetup(
        _ id: String, setupIntent: String, allowRedisplay: String, customerCancels: Bool?, key: IdempotencyKey
    ) -> StripeRequest {
        var form = TerminalForm()
        form.put("setup_intent", setupIntent)
        form.put("allow_redisplay", allowRedisplay)
        form.put("process_config[enable_customer_cancellation]", customerCancels)
        return .post(reader(id, "process_setup_intent"), form.fields, key: key)
    }

    static func refund(_ id: String, _ refund: TerminalRefund, key: IdempotencyKey) -> StripeRequest {
        var form = TerminalForm()
        form.put("payment_intent", refund.paymentIntent?.rawValue)
        form.put("charge", refund.charge)
        form.put("amount", refund.amount)
        form.put("metadata", refund.metadata)
        form.put("refund_payment_config[enable_customer_cancellation]", refund.customerCancels)
        return .post(reader(id, "refund_payment"), form.fields, key: key)
    }

    static func display(_ id: String, _ cart: TerminalCart, key: IdempotencyKey) -> StripeRequest {
        var form = TerminalForm()
        form.put("type", "cart")
        form.put("cart[currency]", cart.currency)
        for (index, line) in cart.lines.enumerated() {
            form.put("cart[line_items][\(index)][description]", line.description)
            form.put("cart[line_items][\(index)][amount]", line.amount)
            form.put("cart[line_items][\(index)][quantity]", line.quantity)
        }
        form.put("cart[tax]", cart.tax)
        form.put("cart[total]", cart.total)
        return .post(reader(id, "set_reader_display"), form.fields, key: key)
    }

    static func inputs(
        _ id: String, _ inputs: [TerminalInput], metadata: [String: String], key: IdempotencyKey
    ) -> StripeRequest {
        var form = TerminalForm()
        for (index, input) in inputs.enumerated() { input.put(into: &form, at: index) }
        form.put("metadata", metadata)
        return .post(reader(id, "collect_inputs"), form.fields, key: key)
    }

    static func cancelAction(_ id: String, key: IdempotencyKey) -> StripeRequest {
        .post(reader(id, "cancel_action"), key: key)
    }

    // MARK: Help for tests

    static func present(_ id: String, _ card: TerminalTestCard, key: IdempotencyKey) -> StripeRequest {
        var form = TerminalForm()
        form.put("type", card.kind)
        if let kind = card.kind { form.put("\(kind)[number]", card.number) }
        form.put("amount_tip", card.tip)
        return .post(helper(id, "present_payment_method"), form.fields, key: key)
    }

    static func succeedInputs(_ id: String, skipping: String?, key: IdempotencyKey) -> StripeRequest {
        var form = TerminalForm()
        form.put("skip_non_required_inputs", skipping)
        return .post(helper(id, "succeed_input_collection"), form.fields, key: key)
    }

    static func timeOutInputs(_ id: String, key: IdempotencyKey) -> StripeRequest {
        .post(helper(id, "timeout_input_collection"), key: key)
    }

    // MARK: Intents

    static func createIntent(_ draft: TerminalIntentDraft, key: IdempotencyKey) -> StripeRequest {
        var form = TerminalForm()
        form.put("amount", draft.amount)
        form.put("currency", draft.currency)
        form.put("capture_method", draft.captureMethod)
        form.put("payment_method_types", draft.paymentMethodTypes)
        let options = "payment_method_options[card_present]"
        form.put("\(options)[request_extended_authorization]", draft.requestsExtendedAuthorization ? true : nil)
        form.put(
            "\(options)[request_incremental_authorization_support]", draft.requestsIncrementalAuthorization ? true : nil
        )
        form.put("\(options)[routing][requested_priority]", draft.requestedPriority)
        form.put("description", draft.description)
        form.put("statement_descriptor", draft.statementDescriptor)
        form.put("receipt_email", draft.receiptEmail)
        form.put("application_fee_amount", draft.applicationFee)
        form.put("metadata", draft.metadata)
        return .post(StripePath.paymentIntents, form.fields, key: key)
    }

    /// Reads a payment intent with its latest charge.
    static func intent(_ id: ProviderReference) -> StripeRequest {
        .get(StripePath.paymentIntent(id), [("expand[0]", "latest_charge")])
    }

    static func increment(_ intent: ProviderReference, to amount: Int64, key: IdempotencyKey) -> StripeRequest {
        .post(StripePath.paymentIntent(intent, "increment_authorization"), [("amount", String(amount))], key: key)
    }

    static func createSetupIntent(usage: String, key: IdempotencyKey) -> StripeRequest {
        .post("/v1/setup_intents", [("payment_method_types[0]", "card_present"), ("usage", usage)], key: key)
    }

    private static func paging(_ after: String?) -> [(String, String)] {
        var form = TerminalForm()
        form.put("limit", page)
        form.put("starting_after", after)
        return form.fields
    }
}
