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
 *   FIRST     ApiVersions once, or SaslHandshake
 *   HANDSHAKE SaslHandshake alone
 *   MESSAGES  SaslAuthenticate alone; BARE_MESSAGES: bytes of the mechanism without headers
 * </pre>
 *
 * <p>A refused login has its response sent, and the connection ends. Owner of the loop only.
 */
public final class ClientSession implements Access {
  /** As brokers do: a SaslHandshake that comes sooner after a login is an error, and no new login (KIP-368). */
  private static final long LEAST_NANOS_BETWEEN_LOGINS = TimeUnit.SECONDS.toNanos(1);

  private enum State {
    FIRST, HANDSHAKE, MESSAGES, BARE_MESSAGES, COMPLETE
  }

  /** What to do with a request. */
  public enum Verdict {
    /** It goes to the handler of its API. */
    HANDLE,
    /** The response is ILLEGAL_SASL_STATE, and then the connection ends. */
    REFUSE,
    /** The connection ends. */
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
  /** The mechanism of the login before this one; null during the first one. */
  private @Nullable String previousMechanism;
  private boolean isOtherMechanism;
  private boolean expires;
  private long expiresAtNanos;
  private long completedAtNanos;
  /** Why the connection is to end after the response; null if it goes on. */
  private @Nullable String endReason;

  ClientSession(Cluster cluster, Logins logins, AccessRules rules, String principal, String host) {
    this.cluster = cluster;
    this.logins = logins;
    this.rules = rules;
    this.principal = principal;
    this.host = host;
    this.state = logins.areNeeded() ? State.FIRST : State.COMPLETE;
  }

  /** Whether the client has logged in, or need not. */
  public boolean isAuthenticated() {
    return state == State.COMPLETE || previousMechanism != null;
  }

  /** The principal of the client, such as {@code User:alice}. */
  public String principal() {
    return principal;
  }

  /** Whether the next bytes are a message of the mechanism without the header of a request (SaslHandshake v0). */
  public boolean takesBareMessages() {
    return state == State.BARE_MESSAGES;
  }

  /** What to do with the next request; a SaslHandshake of a client that is known begins another login. */
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

  /** The response to ApiVersions has said what the broker speaks: the next request names a mechanism. */
  public void versionsAreKnown() {
    if (state == State.FIRST) {
      state = State.HANDSHAKE;
    }
  }

  /** The request is refused, or the login is: the connection ends with the response. */
  public void endWithResponse(String reason) {
    endReason = reason;
  }

  /** Why the connection ends with the response; null if it does not. */
  public @Nullable String endReason() {
    return endReason;
  }

  /** Whether a login is under way, and its mechanism may be named. */
  boolean awaitsHandshake() {
    return state == State.FIRST || state == State.HANDSHAKE;
  }

  /** Whether a login is under way, and a message of its mechanism may come. */
  boolean awaitsMessage() {
    return state == State.MESSAGES;
  }

  /** Begins a login; false if the brokers do not take the mechanism. */
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

  /** Takes a message of the mechanism that has no header; the response has none either. */
  public byte[] bareMessage(byte[] message) throws LoginRefusedException {
    try {
      return message(message);
    } catch (LoginException e) {
      throw new LoginRefusedException(refusal(e));
    }
  }

  /** Takes a message of the mechanism. */
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

  /** How long the session may last, by the settings of the brokers and by the credentials; -1 if it does not end. */
  private long lifetimeMillis(SaslExchange under) {
    long most = cluster.settings().getLong("connections.max.reauth.ms");
    if (under.expiresAtMillis() == SaslExchange.NEVER) {
      return most > 0 ? most : -1;
    }
    long left = Math.max(0, under.expiresAtMillis() - cluster.nowMillis());
    return most > 0 ? Math.min(left, most) : left;
  }

  /** How long the session lasts from its login on, as responses say it: 0 if the login goes on, or without an end. */
  long lifetimeMillis() {
    return state == State.COMPLETE && expires ? TimeUnit.NANOSECONDS.toMillis(expiresAtNanos - completedAtNanos) : 0;
  }

  /** The words of a broker that refuses a login; without any of the client's. */
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
