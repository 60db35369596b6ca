package dev.decant.kafka.security;

import dev.decant.net.Printable;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import javax.security.auth.Subject;
import javax.security.sasl.Sasl;
import javax.security.sasl.SaslClient;
import javax.security.sasl.SaslException;
import org.jspecify.annotations.Nullable;

/**
 * The messages of GSSAPI (RFC 4752, section 3.1), which the JDK's client makes as the Subject with the ticket:
 *
 * <pre>
 *   client  ticket for the broker's service, authenticator
 *   broker  proof that it has the service's key
 *   client  (empty)
 *   broker  the layers that it offers, wrapped
 *   client  no layer (QOP auth), wrapped     the JDK's client is complete, and this is still to be sent
 *   broker  (empty)
 * </pre>
 *
 * <p>The first message may request a ticket from the KDC, and blocks for that.
 */
final class GssapiExchange implements SaslExchange {
  private static final byte[] EMPTY = {};
  private static final String FAILED = "GSSAPI failed: ";
  private static final Map<String, String> PROPERTIES = Map.of(Sasl.QOP, "auth", Sasl.SERVER_AUTH, "true");

  private final String serviceName;
  private final String host;
  private final SubjectProvider subjects;
  /** The Subject of the first message; null while the KDC may still be asked. */
  private @Nullable Subject ticket;
  private @Nullable SaslClient client;
  private boolean complete;

  GssapiExchange(String serviceName, String host, SubjectProvider subjects) {
    this.serviceName = serviceName;
    this.host = host;
    this.subjects = subjects;
  }

  @Override
  public byte[] initialResponse() throws IOException, InterruptedException {
    Subject taken = subjects.subject();
    SaslClient made = as(taken,
        () -> Sasl.createSaslClient(new String[] {"GSSAPI"}, null, serviceName, host, PROPERTIES, callbacks -> {}));
    if (made == null) {
      throw new AuthenticationException("GSSAPI: the JDK has no such mechanism; add its module jdk.security.jgss");
    }
    client = made;
    byte[] first = as(taken, () -> made.evaluateChallenge(EMPTY));
    ticket = taken;
    return first == null ? EMPTY : first;
  }

  @Override
  public byte[] respond(byte[] challenge) throws IOException, InterruptedException {
    SaslClient begun = client;
    Subject taken = ticket;
    if (begun == null || taken == null) {
      throw new IllegalStateException("the exchange has not begun");
    }
    if (begun.isComplete()) {
      if (challenge.length > 0) {
        throw new AuthenticationException("GSSAPI: the broker asks for more after the last message");
      }
      complete = true;
      return EMPTY;
    }
    byte[] response = as(taken, () -> begun.evaluateChallenge(challenge));
    return response == null ? EMPTY : response;
  }

  private <T extends @Nullable Object> T as(Subject subject, Callable<T> step)
      throws IOException, InterruptedException {
    try {
      return Subject.callAs(subject, step);
    } catch (CompletionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      if (Thread.interrupted()) {
        throw new InterruptedException("the exchange was given up");
      }
      if (cause instanceof SaslException || cause instanceof RuntimeException) {
        KerberosErrors errors = KerberosErrors.of(cause);
        throw ticket == null ? errors.ofService(FAILED, serviceName, host) : errors.ofBroker(FAILED);
      }
      throw new IOException(FAILED + Printable.of(cause.toString()), Printable.cause(cause));
    }
  }

  @Override
  public boolean isComplete() {
    return complete;
  }

  @Override
  public void close() {
    Subject taken = ticket;
    if (taken != null && !complete) {
      subjects.refused(taken);
    }
    SaslClient begun = client;
    if (begun != null) {
      client = null;
      try {
        begun.dispose();
      } catch (SaslException e) {
        // the client is not used any more
      }
    }
  }
}
