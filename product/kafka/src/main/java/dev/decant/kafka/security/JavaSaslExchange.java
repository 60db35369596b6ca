package dev.decant.kafka.security;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import javax.security.auth.Subject;
import javax.security.sasl.Sasl;
import javax.security.sasl.SaslClient;
import javax.security.sasl.SaslException;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a mechanism of {@code javax.security.sasl}. A client may be complete with a message that is still to
 * be sent; the broker's response to it ends the exchange. A client that is complete without a message ends the exchange
 * at once.
 *
 * <p>Messages are copies: zeros are written over sent ones, and a SASL client may keep its array for longer.
 */
final class JavaSaslExchange implements SaslExchange {
  private static final byte[] EMPTY = {};

  private final JavaSasl mechanism;
  private final SubjectProvider login;
  private final String host;
  /** The Subject as which the exchange runs; null before it has begun. */
  private @Nullable Subject subject;
  private @Nullable SaslClient client;
  private boolean complete;

  JavaSaslExchange(JavaSasl mechanism, SubjectProvider login, String host) {
    this.mechanism = mechanism;
    this.login = login;
    this.host = host;
  }

  @Override
  public byte[] initialResponse() throws IOException, InterruptedException {
    Subject taken = login.subject();
    subject = taken;
    SaslClient made = as(taken, "begin", () -> Sasl.createSaslClient(new String[] {mechanism.name}, null,
        mechanism.serviceName, host, mechanism.properties, mechanism.handler));
    if (made == null) {
      throw new AuthenticationException(mechanism + ": no security provider of this JVM has a SASL client for it;"
          + " register the provider, or add the library that has it");
    }
    client = made;
    byte[] first = made.hasInitialResponse() ? as(taken, "begin", () -> made.evaluateChallenge(EMPTY)) : EMPTY;
    return first == null ? EMPTY : first.clone();
  }

  @Override
  public byte[] respond(byte[] challenge) throws IOException, InterruptedException {
    SaslClient begun = client;
    Subject taken = subject;
    if (begun == null || taken == null) {
      throw new IllegalStateException("the exchange has not begun");
    }
    if (begun.isComplete()) {
      complete = true;
      return EMPTY;
    }
    byte[] response = as(taken, "go on", () -> begun.evaluateChallenge(challenge));
    if (response == null) {
      if (!begun.isComplete()) {
        throw new AuthenticationException(mechanism + ": its SASL client neither responds to the broker's message nor"
            + " ends");
      }
      complete = true;
      return EMPTY;
    }
    return response.clone();
  }

  private <T extends @Nullable Object> T as(Subject runner, String what, Callable<T> step)
      throws InterruptedException {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(mechanism.loader);
    try {
      return Subject.callAs(runner, step);
    } catch (CompletionException | LinkageError e) {
      Throwable cause = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
      if (Thread.interrupted()) {
        throw new InterruptedException("the exchange was given up");
      }
      throw cause instanceof AuthenticationException known
          ? known
          : AuthenticationException.ofForeign(mechanism + " cannot " + what + ": ", cause);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  @Override
  public boolean isComplete() {
    return complete;
  }

  @Override
  public void close() {
    Subject taken = subject;
    SaslClient begun = client;
    if (taken != null && !complete) {
      login.refused(taken);
    }
    client = null;
    if (begun != null && complete) {
      dispose(begun);
    } else if (begun != null) { // This may be the loop's thread, which must not block in a provider's code.
      Thread.ofPlatform().daemon().name("decant-sasl-end").start(() -> dispose(begun));
    }
  }

  private static void dispose(SaslClient ended) {
    try {
      ended.dispose();
    } catch (SaslException | RuntimeException | LinkageError e) {
      // the client is not used any more
    }
  }
}
