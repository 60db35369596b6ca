package dev.decant.fake.security;

import dev.decant.fake.api.Access;
import dev.decant.fake.cluster.Cluster;
import dev.decant.kafka.protocol.ApiKey;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The principal of a connection, and the state of its login (KIP-43, KIP-152, KIP-368).
 *
 * <pre>
 *   FIRST -> HANDSHAKE -> MESSAGES or BARE_MESSAGES -> COMPLETE -> (SaslHandshake again) MESSAGES -> COMPLETE
 *
 *   FIRST     ApiVersions once, or SaslHandshake
 *   HANDSHAKE SaslHandshake alone
 *   MESSAGES  SaslAuthenticate alone; BARE_MESSAGES: bytes of the mechanism without headers
 * </pre>
 *
 * <p>A failed login has a response, after which the connection is closed. Owner of the loop only.
 */
public final class ClientSession implements Access {
  /** Least time between two logins, as in brokers: an earlier SaslHandshake is an error, and no new login (KIP-368). */
  private static final long LEAST_NANOS_BETWEEN_LOGINS = TimeUnit.SECONDS.toNanos(1);

  private enum State {
    FIRST, HANDSHAKE, MESSAGES, BARE_MESSAGES, COMPLETE
  }

  /** The decision about a request. */
  public enum Verdict {
    /** The handler of the API takes the request. */
    HANDLE,
    /** The response is ILLEGAL_SASL_STATE, and then the connection is closed. */
    REFUSE,
    /** The connection is closed. */
    CLOSE
  }

  private final Cluster cluster;
  private final Logins logins;
  private final AccessRules rules;
  private final String host;
  private State state;
  private String principal;
  private @Nullable SaslExchange exchange;
  private String mechanism = "";
  private String requestedMechanism = "";
  /** The mechanism of the login before; null during the first one. */
  private @Nullable String previousMechanism;
  private boolean isOtherMechanism;
  private boolean expires;
  private long expiresAtNanos;
  private long completedAtNanos;
  /** The reason for which the connection is closed after the response; null if it stays open. */
  private @Nullable String endReason;

  ClientSession(Cluster cluster, Logins logins, AccessRules rules, String principal, String host) {
    this.cluster = cluster;
    this.logins = logins;
    this.rules = rules;
    this.principal = principal;
    this.host = host;
    this.state = logins.areNeeded() ? State.FIRST : State.COMPLETE;
  }

  /** Returns true if the client has logged in, or need not. */
  public boolean isAuthenticated() {
    return state == State.COMPLETE || previousMechanism != null;
  }

  /** Returns the principal of the client, such as {@code User:alice}. */
  public String principal() {
    return principal;
  }

  /** Returns true if the next bytes are a message of the mechanism without a request header (SaslHandshake v0). */
  public boolean takesBareMessages() {
    return state == State.BARE_MESSAGES;
  }

  /** Decides about the next request. A SaslHandshake of a client that has logged in starts another login. */
  public Verdict admit(@Nullable ApiKey api) {
    return switch (state) {
      case FIRST -> api == ApiKey.API_VERSIONS || api == ApiKey.SASL_HANDSHAKE ? Verdict.HANDLE : Verdict.CLOSE;
      case HANDSHAKE -> api == ApiKey.SASL_HANDSHAKE ? Verdict.HANDLE : Verdict.CLOSE;
      case MESSAGES -> api == ApiKey.SASL_AUTHENTICATE ? Verdict.HANDLE : Verdict.REFUSE;
      case BARE_MESSAGES -> Verdict.CLOSE;
      case COMPLETE -> admitKnown(api);
    };
  }

  private Verdict admitKnown(@Nullable ApiKey api) {
    if (!logins.areNeeded()) {
      return Verdict.HANDLE;
    }
    long now = cluster.nowNanos();
    if (api == ApiKey.SASL_HANDSHAKE && now - completedAtNanos >= LEAST_NANOS_BETWEEN_LOGINS) {
      previousMechanism = mechanism;
      state = State.HANDSHAKE;
      return Verdict.HANDLE;
    }
    return expires && now - expiresAtNanos > 0 ? Verdict.CLOSE : Verdict.HANDLE;
  }

  /** Records the response to ApiVersions: the next request must name a mechanism. */
  public void versionsAreKnown() {
    if (state == State.FIRST) {
      state = State.HANDSHAKE;
    }
  }

  /** Closes the connection after the response to a refused request or a failed login. */
  public void endWithResponse(String reason) {
    endReason = reason;
  }

  /** Returns the reason for which the connection is closed after the response; null if it stays open. */
  public @Nullable String endReason() {
    return endReason;
  }

  /** Returns true during a login that needs its mechanism. */
  boolean awaitsHandshake() {
    return state == State.FIRST || state == State.HANDSHAKE;
  }

  /** Returns true during a login that needs a message of its mechanism. */
  boolean awaitsMessage() {
    return state == State.MESSAGES;
  }

  /** Starts a login; returns false if the brokers do not have the mechanism. */
  boolean begin(String name, boolean withHeaders) {
    exchange = logins.begin(name);
    if (exchange == null) {
      endWithResponse("the client has named a SASL mechanism that the brokers do not take");
      return false;
    }
    isOtherMechanism = previousMechanism != null && !previousMechanism.equals(name);
    requestedMechanism = name;
    mechanism = isOtherMechanism ? mechanism : name;
    state = withHeaders ? State.MESSAGES : State.BARE_MESSAGES;
    return true;
  }

  /** Handles a message of the mechanism without a header; the response has none either. */
  public byte[] bareMessage(byte[] message) throws LoginRefusedException {
    try {
      return message(message);
    } catch (LoginException e) {
      throw new LoginRefusedException(refusal(e));
    }
  }

  /** Handles a message of the mechanism. */
  byte[] message(byte[] message) throws LoginException {
    SaslExchange under = exchange;
    if (under == null) {
      throw new IllegalStateException("no login is under way");
    }
    if (isOtherMechanism) {
      throw new LoginException("SASL mechanism '" + requestedMechanism
          + "' requested by client is not supported for re-authentication of mechanism '" + mechanism + "'");
    }
    byte[] response = under.evaluate(message);
    if (under.isComplete()) {
      complete(under);
    }
    return response;
  }

  private void complete(SaslExchange under) throws LoginException {
    String name = "User:" + under.user();
    if (previousMechanism != null && !principal.equals(name)) {
      throw new LoginException("Cannot change principals during re-authentication from " + principal.replace(':', '.')
          + ": " + name.replace(':', '.'));
    }
    principal = name;
    completedAtNanos = cluster.nowNanos();
    long lifetime = lifetimeMillis(under);
    expires = lifetime >= 0;
    expiresAtNanos = completedAtNanos + TimeUnit.MILLISECONDS.toNanos(Math.max(0, lifetime));
    exchange = null;
    previousMechanism = null;
    state = State.COMPLETE;
  }

  /** Returns the longest life of the session, by the brokers' settings and by the credentials; -1 without an end. */
  private long lifetimeMillis(SaslExchange under) {
    long most = cluster.settings().getLong("connections.max.reauth.ms");
    if (under.expiresAtMillis() == SaslExchange.NEVER) {
      return most > 0 ? most : -1;
    }
    long left = Math.max(0, under.expiresAtMillis() - cluster.nowMillis());
    return most > 0 ? Math.min(left, most) : left;
  }

  /**
   * Returns the life of the session from its login on, as responses have it: 0 during the login, and without an end.
   */
  long lifetimeMillis() {
    return state == State.COMPLETE && expires ? TimeUnit.NANOSECONDS.toMillis(expiresAtNanos - completedAtNanos) : 0;
  }

  /** Returns the brokers' text for a failed login, which has no text of the client. */
  String refusal(LoginException e) {
    String own = e.getMessage();
    return own == null
        ? "Authentication failed during " + (previousMechanism == null ? "authentication" : "re-authentication")
            + " due to invalid credentials with SASL mechanism " + mechanism
        : own;
  }

  @Override
  public boolean isLimited() {
    return rules.areLimits(principal);
  }

  @Override
  public boolean may(int operation, int resourceType, String name) {
    return rules.allow(principal, host, operation, resourceType, name);
  }

  @Override
  public boolean mayOnAny(int operation, int resourceType) {
    return rules.allowOnAny(principal, host, operation, resourceType);
  }
}
