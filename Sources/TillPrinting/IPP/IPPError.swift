public import TillCanvas
public import TillCore

/// Why a printer could not be asked, or would not.
public enum IPPError: ExplainedError, Hashable {
    /// The reply is not IPP, or is longer than it may be.
    case malformed(String)
    /// No answer; `mayHaveArrived`: the request or a part of it left.
    case unreachable(String, mayHaveArrived: Bool)
    /// Something else answers at this address: a web server, a counter, nothing that prints.
    case notAPrinter(String)
    /// No authority that this machine trusts signed the certificate, and none was pinned.
    case certificateNotTrusted
    /// Not the certificate that was kept; both as SHA-256. Nothing was sent.
    case certificateChanged(shown: String, kept: String)
    /// The printer asks for a user and password.
    case authentication(PrinterAuthenticationProblem)
    /// The web server in the printer refused, with this status.
    case http(Int)
    /// The printer refused, with its IPP status and message.
    case refused(status: Int, message: String)
    /// It prints none of the formats that we write.
    case noFormat([String])
    /// The receipt cannot be drawn on this machine.
    case notDrawn(CanvasError)
    /// It does not have the paper that the receipt needs.
    case noMedia(String)
    /// It says that it cannot print now, in a sentence.
    case needsHelp(String)
    /// The printer's plug for the cash drawer has no such pin.
    case noDrawer(pin: Int)
    /// It took the job and did not begin with it; the job was canceled.
    case neverBegan(String)
    /// The journal did not take what is about to be sent, so it was not sent.
    case notWrittenDown

    /// It is working on something else; later it may take this.
    public var isBusy: Bool {
        switch self {
        case .refused(let status, _): [0x0507, 0x0502, 0x0505].contains(status)
        case .http(let status): status == 503
        default: false
        }
    }

    /// The request or a part of it left, and what became of it is not known.
    var mayHaveArrived: Bool {
        switch self {
        case .unreachable(_, let mayHaveArrived): mayHaveArrived
        case .malformed: true
        case .http(let status): status >= 500 && status != 503
        case .notAPrinter, .certificateNotTrusted, .certificateChanged, .authentication, .refused, .noFormat,
            .notDrawn, .noMedia, .needsHelp, .noDrawer, .neverBegan, .notWrittenDown:
            false
        }
    }

    /// A word for programs that stays the same in every release.
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
        case .needsHelp: "printer_needs_help"
        case .noDrawer: "invalid_pin"
        case .neverBegan: "printer_never_began"
        case .notWrittenDown: "print_not_written_down"
        }
    }

    /// What happened, in one sentence.
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
        case .noMedia(let why): "The receipt does not fit on the printer's paper: \(why). Nothing was sent."
        case .noDrawer(let pin): "The printer's plug for a drawer has no pin \(pin); nothing was sent to it."
        case .needsHelp(let sentence): "\(sentence) Nothing was sent to it."
        case .neverBegan(let why): "The printer did not begin in time, and the job was canceled. \(why)"
        case .notWrittenDown: "The print could not be recorded; no receipt was sent."
        }
    }

    /// A printer moves no money.
    public var moneyMoved: MoneyMoved { .no }

    /// What to do next.
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
        case .noDrawer: "Use the pin that the printer's profile has, 2 or 5 by default."
        case .needsHelp, .neverBegan: "Check the printer, then print the receipt again."
        case .notWrittenDown: "Check the disk, then print the receipt again."
        }
    }
}
