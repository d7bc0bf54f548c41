internal import TillCore

/// A prompt for the customer at a reader.
public struct TerminalInput: Hashable, Sendable {
    /// The kinds of input that Stripe's readers collect today.
    public static let kinds = ["selection", "text", "numeric", "email", "phone", "signature"]
    /// The number of inputs on one form.
    public static let countOfQuestions = 1...5
    /// The number of choices of a selection.
    public static let countOfChoices = 1...20
    /// The maximum length of a question or a choice, in bytes; a reader's screen shows far less.
    public static let maximumBytes = 200

    /// The kind of input: `selection`, `text`, `numeric`, `email`, `phone`, `signature`. Open.
    public var kind: String
    public var title: String
    /// A line below the title.
    public var details: String?
    /// The label of the skip button.
    public var skipButton: String?
    /// The label of the submit button.
    public var submitButton: String?
    /// `true` if the customer cannot skip it.
    public var isRequired: Bool?
    /// The choices of a selection.
    public var choices: [Choice]
    public var toggles: [Toggle]

    /// A choice of a selection.
    public struct Choice: Hashable, Sendable {
        /// The id returned as the answer.
        public var id: String
        public var text: String
        /// The style of the button: `primary` or `secondary`.
        public var style: String?

        public init(id: String, text: String, style: String? = nil) {
            self.id = id
            self.text = text
            self.style = style
        }
    }

    public struct Toggle: Hashable, Sendable {
        public var title: String?
        public var details: String?
        /// The initial state of the switch.
        public var isOn: Bool?

        public init(title: String?, details: String? = nil, isOn: Bool? = nil) {
            self.title = title
            self.details = details
            self.isOn = isOn
        }
    }

    public init(
        kind: String, title: String, details: String? = nil, skipButton: String? = nil, submitButton: String? = nil,
        isRequired: Bool? = nil, choices: [Choice] = [], toggles: [Toggle] = []
    ) {
        self.kind = kind
        self.title = title
        self.details = details
        self.skipButton = skipButton
        self.submitButton = submitButton
        self.isRequired = isRequired
        self.choices = choices
        self.toggles = toggles
    }

    func put(into form: inout TerminalForm, at index: Int) {
        let name = "inputs[\(index)]"
        form.put("\(name)[type]", kind)
        form.put("\(name)[custom_text][title]", title)
        form.put("\(name)[custom_text][description]", details)
        form.put("\(name)[custom_text][skip_button]", skipButton)
        form.put("\(name)[custom_text][submit_button]", submitButton)
        form.put("\(name)[required]", isRequired)
        for (number, choice) in choices.enumerated() {
            form.put("\(name)[selection][choices][\(number)][id]", choice.id)
            form.put("\(name)[selection][choices][\(number)][text]", choice.text)
            form.put("\(name)[selection][choices][\(number)][style]", choice.style)
        }
        for (number, toggle) in toggles.enumerated() {
            form.put("\(name)[toggles][\(number)][title]", toggle.title)
            form.put("\(name)[toggles][\(number)][description]", toggle.details)
            form.put("\(name)[toggles][\(number)][default_value]", toggle.isOn.map { $0 ? "enabled" : "disabled" })
        }
    }
}

/// The customer's answer to an input. It may be personal data, such as an e-mail address: store it only for its stated
/// purpose.
public struct TerminalInputAnswer: Hashable, Sendable {
    /// The kind of the input, as in ``TerminalInput/kind``.
    public let kind: String
    /// The title of the input, as in ``TerminalInput/title``.
    public let title: String?
    /// The text entered, the id of the choice, or the id of the signature file; `nil` while unanswered.
    public let value: String?
    /// The label of the selected choice, for a selection.
    public let text: String?
    /// `true` if the customer skipped the input.
    public let isSkipped: Bool
    /// The states of the toggles, in order; `nil` while unanswered.
    public let toggles: [Bool?]

    init(_ json: JSONValue) {
        kind = json["type"]?.stringValue.map(TerminalText.line) ?? "unknown"
        title = json["custom_text"]?["title"]?.stringValue.map { StripeError.line($0, limit: 500) }
        let own = json[kind]
        value = (own?["value"]?.stringValue ?? own?["id"]?.stringValue).map { StripeError.line($0, limit: 500) }
        text = own?["text"]?.stringValue.map { StripeError.line($0, limit: 500) }
        isSkipped = json["skipped"]?.boolValue ?? false
        toggles = (json["toggles"]?.arrayValue ?? []).map { toggle in
            toggle["value"]?.stringValue.map { $0 == "enabled" }
        }
    }
}

/// The cart that a reader shows before it prompts for a card.
public struct TerminalCart: Hashable, Sendable {
    public struct Line: Hashable, Sendable {
        public var description: String
        /// The line's price, in wire units of the cart's currency.
        public var amount: Int64
        public var quantity: Int64

        public init(description: String, amount: Int64, quantity: Int64) {
            self.description = description
            self.amount = amount
            self.quantity = quantity
        }
    }

    /// The currency's three letters, in lower case.
    public var currency: String
    public var lines: [Line]
    /// The included tax, in wire units.
    public var tax: Int64?
    /// The total, in wire units.
    public var total: Int64

    public init(currency: String, lines: [Line], tax: Int64? = nil, total: Int64) {
        self.currency = currency
        self.lines = lines
        self.tax = tax
        self.total = total
    }
}
