import ArgumentParser
import TillCore
import TillFeatureDay

extension DayCommand {
    struct Drawers: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "drawers", abstract: "Lists the cash drawers that were ever opened, with their state.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions

        func run() async throws {
            try await withDay(common, provider, creates: false) { book, account in
                let sessions = try await book.drawers(of: account)
                if common.json {
                    return Output.line(String(decoding: DayJSON.drawers(sessions), as: UTF8.self))
                }
                guard !sessions.isEmpty else { return Output.line("No drawer was opened yet.") }
                let clock = DayClock(book.zone)
                for session in sessions {
                    let opened = "opened \(clock.text(session.openedAt)), by \(session.openedBy)"
                    Output.line("\(session.drawer)  \(session.state.rawValue)  \(session.currency.code)  \(opened)")
                }
            }
        }
    }
}
