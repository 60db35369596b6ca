package dev.decant.kafka.security;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.Provider;
import java.security.Security;
import java.util.Map;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.CallbackHandler;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.callback.PasswordCallback;
import javax.security.auth.callback.UnsupportedCallbackException;
import javax.security.sasl.SaslClient;
import javax.security.sasl.SaslClientFactory;
import javax.security.sasl.SaslException;
import org.jspecify.annotations.Nullable;

/**
 * A security provider with a library's mechanism. The broker begins with a word, and the client repeats it between name
 * and password. The broker's last message is {@code welcome}. Clients whose greeting is a byte array respond with that
 * array.
 */
public final class TestSaslProvider extends Provider {
  /** The name of the mechanism. */
  public static final String NAME = "X-DECANT-TEST";
  private static final long serialVersionUID = 1L;

  private TestSaslProvider() {
    super("DecantTestSasl", "1", "for tests");
    put("SaslClientFactory." + NAME, Factory.class.getName());
  }

  /** Adds the provider to the JVM, once. */
  public static void register() {
    Security.addProvider(new TestSaslProvider());
  }

  /** Removes the provider from the JVM. */
  public static void remove() {
    Security.removeProvider("DecantTestSasl");
  }

  /** The factory of clients, which the JDK makes. */
  public static final class Factory implements SaslClientFactory {
    @Override
    public SaslClient createSaslClient(String[] mechanisms, String authorizationId, String protocol, String host,
        Map<String, ?> properties, CallbackHandler handler) {
      return new Client(protocol + "/" + host, handler, properties.get("greeting"));
    }

    @Override
    public String[] getMechanismNames(Map<String, ?> properties) {
      return new String[] {NAME};
    }
  }

  private static final class Client implements SaslClient {
    private final String service;
    private final CallbackHandler handler;
    private final @Nullable Object greeting;
    private boolean complete;

    private Client(String service, CallbackHandler handler, @Nullable Object greeting) {
      this.service = service;
      this.handler = handler;
      this.greeting = greeting;
    }

    @Override
    public String getMechanismName() {
      return NAME;
    }

    @Override
    public boolean hasInitialResponse() {
      return false;
    }

    @Override
    public byte @Nullable [] evaluateChallenge(byte[] challenge) throws SaslException {
      String word = new String(challenge, StandardCharsets.UTF_8);
      if (word.equals("welcome")) {
        complete = true;
        return null;
      }
      if (greeting instanceof byte[] own) {
        return own;
      }
      NameCallback name = new NameCallback("name: ");
      PasswordCallback password = new PasswordCallback("password: ", false);
      try {
        handler.handle(new Callback[] {name, password});
      } catch (IOException | UnsupportedCallbackException e) {
        throw new SaslException("no credentials", e);
      }
      return (service + " " + name.getName() + " " + word + " " + new String(password.getPassword())
          + (greeting == null ? "" : " " + greeting)).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public boolean isComplete() {
      return complete;
    }

    @Override
    public byte[] unwrap(byte[] incoming, int offset, int length) {
      throw new IllegalStateException("no layer");
    }

    @Override
    public byte[] wrap(byte[] outgoing, int offset, int length) {
      throw new IllegalStateException("no layer");
    }

    @Override
    public @Nullable Object getNegotiatedProperty(String property) {
      return null;
    }

    @Override
    public void dispose() {
      if (greeting instanceof Runnable ending) {
        ending.run();
      }
    }
  }
}
