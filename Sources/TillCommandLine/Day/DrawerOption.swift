import ArgumentParser
import TillCore

/// The option that names a cash drawer.
struct DrawerOption: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("The cash drawer, where there is more than one; main by default.", valueName: "name"))
    var drawer: String?

    /// The name that was given; `nil` without one.
    var name: DrawerName? {
        get throws(CommandError) {
            guard let drawer else { return nil }
            guard let name = DrawerName(ifValid: drawer) else {
                throw CommandError(
                    code: "invalid_drawer", what: "--drawer cannot be used. \(DrawerName.form) Nothing changed.",
                    next: "Correct the name and try again.")
            }
            return name
        }
    }
}
