import ArgumentParser

/// The arguments for a rehearsal of production: a program on this machine in Apple's place.
struct AppleStandInArguments: ParsableArguments {
    @Option(
        name: .customLong("apple-pay-stand-in"),
        help: ArgumentHelp(
            "Beside Apple Pay's settings: a stand-in for Apple's gateway on this machine, to rehearse production.",
            valueName: "port"))
    var port: UInt16?
    @Option(
        name: .customLong("apple-pay-root"),
        help: ArgumentHelp("The root certificate of that stand-in and of its tokens' signers.", valueName: "file"))
    var root: String?

    /// `true` if one of them was given.
    var isGiven: Bool { port != nil || root != nil }
}
