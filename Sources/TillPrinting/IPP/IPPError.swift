public import TillCore

/// Why a printer could not be asked, or would not.
public enum IPPError: ExplainedError, Hashable {
    /// What came is not IPP.
    case malformed(String)
    /// No answer; `mayHaveArrived`: the request or a part of it left.
    case unreachable(String, mayHaveArrived: Bool)
    /// The web server in it refused.
    case http(Int)
    /// The printer refused, with its status and its words.
    case refused(status: Int, message: String)
    /// It prints none of the formats that we write.
    case noFormat([String])
    /// The receipt does not fit on what is in it.
    case noMedia(String)

    /// It is working on something else; later it may take this.
    public var isBusy: Bool {
        if case .refused(let status, _) = self { [0x0507, 0x0502, 0x0505].contains(status) } else { false }
    }

    /// The stable word.
    public var code: String {
        switch self {
        case .malformed: "printer_answer_malformed"
        case .unreachable: "printer_unreachable"
        case .http: "printer_refused"
        case .refused: isBusy ? "printer_busy" : "printer_refused"
        case .noFormat: "printer_formats"
        case .noMedia: "printer_media"
        }
    }

    /// What happened.
    public var what: String {
        switch self {
        case .malformed(let why): "What the printer answered is not IPP: \(why)."
        case .unreachable(let why, let mayHaveArrived):
            mayHaveArrived
                ? "The printer did not answer: \(why); it may have got the receipt."
                : "The printer can not be reached: \(why); nothing was sent to it."
        case .http(401): "The printer asks for a name and a password."
        case .http(let status): "The printer's web server refused with \(status)."
        case .refused(let status, let message):
            isBusy
                ? "The printer is busy."
                : "The printer refused (0x\(String(status, radix: 16))\(message.isEmpty ? "" : ": " + message))."
        case .noFormat(let formats): "The printer takes none of our formats, but \(formats.joined(separator: ", "))."
        case .noMedia(let why): "The receipt does not fit on the printer's paper: \(why)."
        }
    }

    /// A printer moves no money.
    public var moneyMoved: MoneyMoved { .no }

    /// What to do next.
    public var next: String {
        switch self {
        case .malformed: "Check that the address is a printer's."
        case .unreachable(_, true): "Look at the paper before you print it again. The payment stands as it is."
        case .unreachable: "Check that it is on and its address right, then print the receipt again."
        case .http: "Check the address and the printer's rights."
        case .refused:
            isBusy ? "Print the receipt again in a moment." : "Check the printer, then print the receipt again."
        case .noFormat: "Use another printer, or its ESC/POS port as socket://HOST:9100."
        case .noMedia: "Use other paper or another printer."
        }
    }
}
