import TillAdyen
import TillBraintree
import TillPayPal
import TillProvider
import TillStripe

/// The providers of this program. A new one needs its module and one line here.
enum ProviderModules {
    /// The provider modules. A task-local value, so that a test can use a provider of its own.
    @TaskLocal static var all: [any ProviderModule.Type] = [
        StripeModule.self,
        PayPalModule.self,
        BraintreeModule.self,
        AdyenModule.self,
    ]
}
