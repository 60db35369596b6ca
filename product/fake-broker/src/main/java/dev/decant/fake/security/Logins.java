package dev.decant.fake.security;

import dev.decant.fake.cluster.Cluster;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The users, tokens and mechanisms of logins. Owner of the loop only, except {@link #credentialOf}. */
public final class Logins {
  private final Cluster cluster;
  private final Set<Mechanism> mechanisms = new LinkedHashSet<>();
  private final Map<String, Credential> credentials = new HashMap<>();
  private final Map<String, Token> tokens = new HashMap<>();
  private Map<String, Credential> firstCredentials = Map.of();
  private Map<String, Token> firstTokens = Map.of();

  /**
   * Creates logins without users.
   *
   * @param cluster has the time
   * @param names the mechanisms; none if clients need no login
   * @throws IllegalArgumentException if there is no such mechanism
   */
  public Logins(Cluster cluster, Iterable<String> names) {
    this.cluster = cluster;
    for (String name : names) {
      mechanisms.add(mechanism(name));
    }
  }

  private static Mechanism mechanism(String name) {
    Mechanism known = Mechanism.of(name);
    if (known == null) {
      throw new IllegalArgumentException(
          "there is no SASL mechanism " + name + " in the fake cluster; there are " + Mechanism.labels());
    }
    return known;
  }

  /**
   * Checks the name of a mechanism.
   *
   * @throws IllegalArgumentException if there is no such mechanism
   */
  public static void check(String mechanism) {
    Mechanism unused = mechanism(mechanism);
  }

  /** Saves the present users and tokens for {@link #restore}. */
  public void remember() {
    firstCredentials = Map.copyOf(credentials);
    firstTokens = Map.copyOf(tokens);
  }

  /** Restores the users and tokens of the last {@link #remember}. */
  public void restore() {
    credentials.clear();
    credentials.putAll(firstCredentials);
    tokens.clear();
    tokens.putAll(firstTokens);
  }

  /** Returns true if clients must log in. */
  public boolean areNeeded() {
    return !mechanisms.isEmpty();
  }

  /** Returns the names of the mechanisms. */
  List<String> mechanisms() {
    return mechanisms.stream().map(Mechanism::label).toList();
  }

  /** Starts a login; returns null if the brokers do not have the mechanism. */
  @Nullable
  SaslExchange begin(String mechanism) {
    Mechanism known = Mechanism.of(mechanism);
    return known != null && mechanisms.contains(known) ? known.begin(this) : null;
  }

  /** Adds a user, or replaces the user's credential. */
  public void user(String name, Credential credential) {
    credentials.put(name, credential);
  }

  /** Returns the credential for a password, for {@link #user}. Any thread; it takes milliseconds. */
  public Credential credentialOf(String password) {
    List<ScramHash> hashes = new ArrayList<>();
    if (mechanisms.contains(Mechanism.SCRAM_SHA_256)) {
      hashes.add(ScramHash.SHA_256);
    }
    if (mechanisms.contains(Mechanism.SCRAM_SHA_512)) {
      hashes.add(ScramHash.SHA_512);
    }
    return new Credential(password, hashes);
  }

  /** Removes a user. */
  public void removeUser(String name) {
    credentials.remove(name);
  }

  /** Adds a token. */
  public void token(String value, String user, long expiresAtMillis) {
    tokens.put(value, new Token(user, expiresAtMillis));
  }

  /** Revokes a token. */
  public void revokeToken(String value) {
    tokens.remove(value);
  }

  @Nullable
  Credential credential(String user) {
    return credentials.get(user);
  }

  /** Returns a token; null if it is unknown or has expired. */
  @Nullable
  Token token(String value) {
    Token known = tokens.get(value);
    return known == null || known.expiresAtMillis() <= cluster.nowMillis() ? null : known;
  }
}
