public import TillCanvas
public import TillCore

/// An error of communicating with a printer, or a refusal by it.
public enum IPPError: ExplainedError, Hashable {
    /// The reply is not IPP, or exceeds the maximum length.
    case malformed(String)
    /// No answer; `mayHaveArrived`: the request or a part of it was sent.
    case unreachable(String, mayHaveArrived: Bool)
    /// Something other than a printer, such as a web server, answers at this address.
    case notAPrinter(String)
    /// The certificate is not signed by an authority that this machine trusts, and none was pinned.
    case certificateNotTrusted
    /// The certificate differs from the pinned one; both as SHA-256. Nothing was sent.
    case certificateChanged(shown: String, kept: String)
    /// The printer requires a user and password.
    case authentication(PrinterAuthenticationProblem)
    /// The printer's web server refused, with this status.
    case http(Int)
    /// The printer refused, with its IPP status and message.
    case refused(status: Int, message: String)
    /// The printer supports none of our formats.
    case noFormat([String])
    /// The receipt cannot be drawn on this machine.
    case notDrawn(CanvasError)
    /// The printer lacks the paper that the receipt needs.
    case noMedia(String)
    /// The receipt is longer than the longest paper of the printer, or has more pages than one of its documents holds.
    case tooLong(String)
    /// The printer reports that it cannot print now, in a sentence.
    case needsHelp(String)
    /// The printer's drawer port has no such pin.
    case noDrawer(pin: Int)
    /// The printer accepted the job and never started it; the job was canceled.
    case neverBegan(String)
    /// The journal could not record the print, so nothing was sent.
    case notWrittenDown

    /// `true` if the printer is busy with something else; it may accept this later.
    public var isBusy: Bool {
        switch self {
        case .refused(let status, _): [0x0507, 0x0502, 0x0505].contains(status)
        case .http(let status): status == 503
        default: false
        }
    }

    /// `true` if the request or a part of it was sent and its outcome is not known.
    var mayHaveArrived: Bool {
        switch self {
        case .unreachable(_, let mayHaveArrived): mayHaveArrived
        case .malformed: true
        case .http(let status): status >= 500 && status != 503
        case .notAPrinter, .certificateNotTrusted, .certificateChanged, .authentication, .refused, .noFormat,
            .notDrawn, .noMedia, .tooLong, .needsHelp, .noDrawer, .neverBegan, .notWrittenDown:
            false
        }
    }

    /// `true` if the printer can never print the receipt, so that a retry is of no use: it is too long.
    public var isPermanent: Bool {
        switch self {
        case .tooLong, .notDrawn(.tooLarge): true
        case .malformed, .unreachable, .notAPrinter, .certificateNotTrusted, .certificateChanged, .authentication,
            .http, .refused, .noFormat, .notDrawn, .noMedia, .needsHelp, .noDrawer, .neverBegan, .notWrittenDown:
            false
        }
    }

    /// A machine-readable code, stable across releases.
    public var code: String {
        switch self {
        case .malformed: "printer_answer_malformed"
        case .unreachable: "printer_unreachable"
        case .notAPrinter: "not_a_printer"
        case .certificateNotTrusted: "printer_certificate_not_trusted"
        case .certificateChanged: "printer_certificate_changed"
        case .authentication: "printer_authentication"
        case .http, .refused: isBusy ? "printer_busy" : "printer_refused"
        case .noFormat: "printer_formats"
        case .notDrawn(let error): error.code
        case .noMedia: "printer_media"
        case .tooLong: "receipt_longer_than_paper"
        case .needsHelp: "printer_needs_help"
        case .noDrawer: "invalid_pin"
        case .neverBegan: "printer_never_began"
        case .notWrittenDown: "print_not_written_down"
        }
    }

    /// The error in one sentence.
    public var what: String {
        switch self {
        case .malformed(let why): "What the printer answered is not IPP: \(why)."
        case .unreachable(let why, let mayHaveArrived):
            mayHaveArrived
                ? "The printer did not answer: \(why); it may have got the receipt."
                : "The printer cannot be reached: \(why); nothing was sent to it."
        case .notAPrinter(let why): "There is no printer at this address: \(why). No receipt was sent."
        case .certificateNotTrusted:
            "Nobody whom this machine trusts signed the printer's certificate; nothing was sent to it."
        case .certificateChanged(let shown, let kept):
            "The printer shows another certificate than the one that is trusted, SHA-256 \(shown) instead of \(kept); "
                + "nothing was sent to it."
        case .authentication(.needed): "The printer asks for a name and a password; no receipt was sent."
        case .authentication(.wrong): "The printer rejects the name and the password; no receipt was sent."
        case .authentication(.onlyOverTLS):
            "The printer wants the password in clear text without TLS; it was not sent, and neither was the receipt."
        case .authentication(.unknownScheme(let name)):
            "The printer asks for a password in a way that Till does not know (\(name)); no receipt was sent."
        case .http(426): "The printer takes receipts over TLS only; none was sent."
        case .http(503): "The printer is busy."
        case .http(let status): "The printer's web server refused with \(status)."
        case .refused(let status, let message):
            isBusy
                ? "The printer is busy."
                : "The printer refused (0x\(String(status, radix: 16))\(message.isEmpty ? "" : ": " + message))."
        case .noFormat(let formats): "The printer takes none of our formats, but \(formats.joined(separator: ", "))."
        case .notDrawn(let error): error.what
        case .noMedia(let why), .tooLong(let why):
            "The receipt does not fit on the printer's paper: \(why). Nothing was sent."
        case .noDrawer(let pin): "The printer's plug for a drawer has no pin \(pin); nothing was sent to it."
        case .needsHelp(let sentence): "\(sentence) Nothing was sent to it."
        case .neverBegan(let why): "The printer did not begin in time, and the job was canceled. \(why)"
        case .notWrittenDown: "The print could not be recorded; no receipt was sent."
        }
    }

    /// A printer moves no money.
    public var moneyMoved: MoneyMoved { .no }

    /// The next step.
    public var next: String {
        switch self {
        case .malformed, .notAPrinter: "Check that the address is a printer's."
        case .unreachable(_, true): "Check the paper before you print it again. The payment stands as it is."
        case .unreachable: "Check that it is on and its address is right, then print the receipt again."
        case .certificateNotTrusted:
            "Printers make their own: compare its SHA-256, then trust it with till printers add NAME ADDRESS --trust."
        case .certificateChanged:
            "If it was reset or replaced, compare the SHA-256 and add it anew with --trust; if not, somebody stands "
                + "between it and you."
        case .authentication(.needed), .authentication(.wrong):
            "Add the printer anew with --user and --password-file."
        case .authentication(.onlyOverTLS), .http(426): "Use its address with ipps://."
        case .authentication(.unknownScheme): "Set the printer to Basic over TLS or to Digest."
        case .http(503): "Print the receipt again in a moment."
        case .http: "Check the address and the printer's rights."
        case .refused:
            isBusy ? "Print the receipt again in a moment." : "Check the printer, then print the receipt again."
        case .noFormat: "Use another printer, or its ESC/POS port as socket://HOST:9100."
        case .notDrawn(let error): error.next
        case .noMedia: "Use other paper or another printer."
        case .tooLong: "It is not tried again. Use another printer, or print its PDF."
        case .noDrawer: "Use the pin that the printer's profile has, 2 or 5 by default."
        case .needsHelp, .neverBegan: "Check the printer, then print the receipt again."
        case .notWrittenDown: "Check the disk, then print the receipt again."
        }
    }
}
