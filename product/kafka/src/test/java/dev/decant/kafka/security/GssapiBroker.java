package dev.decant.kafka.security;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import javax.security.auth.Subject;
import javax.security.auth.callback.Callback;
import javax.security.sasl.AuthorizeCallback;
import javax.security.sasl.Sasl;
import javax.security.sasl.SaslException;
import javax.security.sasl.SaslServer;

/** A broker's end of GSSAPI, by the JDK's server. */
public final class GssapiBroker {
  private final SaslServer server;
  private final Subject subject;

  private GssapiBroker(SaslServer server, Subject subject) {
    this.server = server;
    this.subject = subject;
  }

  /** Returns the Subject of a service with its keys in a file. */
  public static Subject service(Path keytab, String principal) throws IOException, InterruptedException {
    return KerberosJaasLogin.of("com.sun.security.auth.module.Krb5LoginModule", Map.of("useKeyTab", "true", "keyTab",
        keytab.toString(), "principal", principal, "storeKey", "true", "isInitiator", "false", "doNotPrompt", "true",
        "refreshKrb5Config", "true")).login();
  }

  /** Begins an exchange. */
  public static GssapiBroker begin(Subject service, String host, String qop) throws IOException {
    try {
      SaslServer server = Subject.callAs(service, () -> Sasl.createSaslServer("GSSAPI", "kafka", host,
          Map.of(Sasl.QOP, qop), callbacks -> {
            for (Callback callback : callbacks) {
              if (callback instanceof AuthorizeCallback authorize) {
                authorize.setAuthorized(true);
              }
            }
          }));
      return new GssapiBroker(Objects.requireNonNull(server, "server"), service);
    } catch (CompletionException e) {
      throw new IOException(e);
    }
  }

  /** Returns the message that follows one of the client. */
  public byte[] respond(byte[] message) throws SaslException {
    try {
      byte[] response = Subject.callAs(subject, () -> server.evaluateResponse(message));
      return response == null ? new byte[0] : response;
    } catch (CompletionException e) {
      throw new SaslException("refused", e);
    }
  }

  /** Returns true once the client has proved its identity. */
  public boolean isComplete() {
    return server.isComplete();
  }

  /** Returns the client's principal, once the exchange is complete. */
  public String client() {
    return server.getAuthorizationID();
  }
}
