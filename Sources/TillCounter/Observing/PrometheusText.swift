/// Metrics in the Prometheus text format (version 0.0.4).
package struct PrometheusText: Sendable {
    /// The type of a metric.
    package enum Kind: String, Sendable { case counter, gauge, histogram, summary }

    package private(set) var text = ""

    package init() {}

    package mutating func head(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    package mutating func line(_ name: String, _ labels: [(String, String)] = [], _ value: Int) {
        line(name, labels, text: String(value))
    }

    private mutating func line(_ name: String, _ labels: [(String, String)], text value: String) {
        text += name
        if !labels.isEmpty {
            let pairs = labels.map { "\($0.0)=\"\(PrometheusText.escaped($0.1))\"" }
            text += "{" + pairs.joined(separator: ",") + "}"
        }
        text += " \(value)\n"
    }

    /// Writes a metric with a single value.
    package mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
        head(name, kind, help)
        line(name, [], value)
    }

    /// Writes a gauge in seconds.
    package mutating func seconds(_ name: String, _ help: String, milliseconds: Int64) {
        head(name, .gauge, help)
        line(name, [], text: PrometheusText.decimal(max(0, milliseconds), places: 3))
    }

    package mutating func histogram(_ name: String, _ labels: [(String, String)], _ histogram: DurationHistogram) {
        var below = 0
        for (index, bound) in DurationHistogram.bounds.enumerated() {
            below += histogram.buckets[index]
            line(name + "_bucket", labels + [("le", bound.label)], below)
        }
        line(name + "_bucket", labels + [("le", "+Inf")], histogram.count)
        line(name + "_sum", labels, text: PrometheusText.decimal(histogram.microseconds, places: 6))
        line(name + "_count", labels, histogram.count)
    }

    /// Formats a count of 10^-places as decimal text.
    private static func decimal(_ units: Int64, places: Int) -> String {
        let digits = String(max(0, units))
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.utf8.count)) + digits
        return "\(padded.dropLast(places)).\(padded.suffix(places))"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
