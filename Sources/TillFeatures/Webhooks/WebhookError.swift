import HTTPTypes
package import TillCore
package import TillCounter
package import TillJournal
package import TillWeb

/// An error in the administration of endpoints. Webhooks move no money.
package enum WebhookError: ExplainedError, ProblemConvertible, Hashable {
    case unknownEndpoint
    case unknownMessage
    /// The account has as many endpoints as it may have.
    case tooManyEndpoints
    /// An endpoint was created with this idempotency key before.
    case exists(WebhookEndpointID)
    case url(WebhookURLError)
    case type(UnknownWebhookType)
    /// Nothing is sent to a disabled endpoint.
    case disabled
    /// As many secrets sign as may.
    case tooManySecrets
    /// As many messages wait as may.
    case full
    /// The secret cannot be sealed or opened.
    case sealing(StaffError)
    case journal(JournalError)

    package var code: String {
        switch self {
        case .unknownEndpoint: "webhook_endpoint_not_found"
        case .unknownMessage: "webhook_message_not_found"
        case .tooManyEndpoints: "too_many_webhook_endpoints"
        case .exists: "webhook_endpoint_exists"
        case .url, .type: "invalid_request"
        case .disabled: "webhook_endpoint_disabled"
        case .tooManySecrets: "too_many_webhook_secrets"
        case .full: "too_many_webhook_messages"
        case .sealing(let error): error.code
        case .journal: "journal"
        }
    }

    package var what: String {
        switch self {
        case .unknownEndpoint: "There is no such webhook endpoint."
        case .unknownMessage: "There is no such message of this webhook endpoint, or it is no longer kept."
        case .tooManyEndpoints:
            "There are \(WebhookLimits.endpointsPerAccount) webhook endpoints, which is the most. None was created."
        case .exists(let id): "The endpoint \(id) was created with this Idempotency-Key. Its secret is not shown again."
        case .url(let error): "url: \(error)"
        case .type(let error): "types: \(error)"
        case .disabled: "This webhook endpoint is disabled, so nothing is sent to it."
        case .tooManySecrets:
            "\(WebhookLimits.secretsPerEndpoint) secrets of this endpoint sign, which is the most. None was replaced."
        case .full: "\(WebhookLimits.pendingPerEndpoint) messages wait for this endpoint, which is the most."
        case .sealing(let error): error.what
        case .journal(let error): "\(error)"
        }
    }

    package var moneyMoved: MoneyMoved { .no }

    package var next: String {
        switch self {
        case .unknownEndpoint, .unknownMessage: "Check the identifier."
        case .tooManyEndpoints: "Delete one that is not needed."
        case .exists: "Rotate its secret if it was lost, or send another key to create another endpoint."
        case .url, .type: "Correct the request."
        case .disabled: "Enable it first."
        case .tooManySecrets: "Wait until an old one has ended."
        case .full: "Wait until some were delivered."
        case .sealing(let error): error.next
        case .journal: "Try again."
        }
    }

    package var problem: Problem {
        switch self {
        case .unknownEndpoint, .unknownMessage: problem(.notFound)
        case .tooManyEndpoints, .exists, .disabled, .tooManySecrets, .full: problem(.conflict)
        case .url(let error): .field("url", "\(error)")
        case .type(let error): .field("types", "\(error)")
        case .sealing(let error): error.problem
        case .journal(let error): error.problem
        }
    }
}
