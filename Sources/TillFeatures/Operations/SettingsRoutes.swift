import HTTPTypes
import Hummingbird
import TillCore
import TillCounter
package import TillJournal
package import TillWeb

/// `/v1/settings`: the settings at the counter's start.
package struct SettingsRoutes: Sendable {
    package let journal: any CounterStore

    package init(journal: any CounterStore) {
        self.journal = journal
    }

    package func register(on router: CounterRouter) {
        router.get("/v1/settings", for: .admin, of: .counter, needs: .settings) { _ in try await list() }
    }

    private func list() async throws -> Response {
        let inForce = try await Records<SettingsInForce>(journal).document(SettingsInForce.key)
        var writer = JSONWriter(reserving: 1_024)
        writer.beginObject()
        writer.key("settings")
        writer.beginArray()
        for (name, value) in (inForce?.values ?? [:]).sorted(by: { $0.key < $1.key }) {
            writer.beginObject()
            writer.field("name", name)
            writer.field("value", value)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return .json(writer.bytes)
    }
}
