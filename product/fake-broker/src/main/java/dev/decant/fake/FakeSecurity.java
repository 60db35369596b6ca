package dev.decant.fake;

import dev.decant.fake.security.AccessRule;
import dev.decant.fake.security.AccessRules;
import dev.decant.fake.security.Credential;
import dev.decant.fake.security.Logins;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/**
 * The users and rights of a running cluster. A change applies to what comes after it: open connections survive a change
 * of the password, as with real brokers, and rights are checked with each request. Any thread.
 *
 * <p>A rule that denies overrides rules that allow. With rules that deny alone, all else is allowed. With the first
 * rule that allows, or a super user, everything that no rule allows is denied.
 */
public final class FakeSecurity {
  private final OwnerThread owner;
  private final Logins logins;
  private final AccessRules rules;

  FakeSecurity(OwnerThread owner, Logins logins, AccessRules rules) {
    this.owner = owner;
    this.logins = logins;
    this.rules = rules;
  }

  /** Restores the users, tokens and rules of the builder. Owner of the loop only. */
  void reset() {
    logins.restore();
    rules.restore();
  }

  /**
   * Adds a user for PLAIN and SCRAM, or replaces the user's password.
   *
   * @param name name of the user; the principal is {@code User:name}
   * @param password password of the user
   */
  public void user(String name, String password) {
    Credential credential = logins.credentialOf(password);
    owner.run(() -> logins.user(name, credential));
  }

  /** Removes a user; new logins of the user fail. */
  public void removeUser(String name) {
    owner.run(() -> logins.removeUser(name));
  }

  /**
   * Adds a token for OAUTHBEARER.
   *
   * @param token the token's characters of RFC 6750; they are not parsed, so a JWT serves as well as any other token
   * @param user user of the token
   * @param expires end of the token's validity, by the cluster's clock: the client's session expires with it
   */
  public void token(String token, String user, Instant expires) {
    owner.run(() -> logins.token(token, user, expires.toEpochMilli()));
  }

  /** Revokes a token; new logins with it fail. */
  public void revokeToken(String token) {
    owner.run(() -> logins.revokeToken(token));
  }

  /**
   * Allows operations.
   *
   * @param principal principal of the clients, such as {@code User:alice}; {@code User:*} for all
   * @param resource resource of the rule
   * @param operations allowed operations
   * @throws IllegalArgumentException if the principal does not begin with {@code User:}
   */
  public void allow(String principal, Resource resource, Operation... operations) {
    List<AccessRule> added = rules(principal, resource, true, operations);
    owner.run(() -> added.forEach(rules::add));
  }

  /**
   * Denies operations, even if other rules allow them.
   *
   * @param principal principal of the clients, such as {@code User:alice}; {@code User:*} for all
   * @param resource resource of the rule
   * @param operations denied operations
   * @throws IllegalArgumentException if the principal does not begin with {@code User:}
   */
  public void deny(String principal, Resource resource, Operation... operations) {
    List<AccessRule> added = rules(principal, resource, false, operations);
    owner.run(() -> added.forEach(rules::add));
  }

  /**
   * Removes the rules that {@link #allow} or {@link #deny} has added with the same arguments.
   *
   * @param principal principal of the rules
   * @param resource resource of the rules
   * @param operations operations of the rules
   */
  public void remove(String principal, Resource resource, Operation... operations) {
    List<AccessRule> gone = Stream.concat(rules(principal, resource, true, operations).stream(),
        rules(principal, resource, false, operations).stream()).toList();
    owner.run(() -> rules.remove(gone::contains));
  }

  static List<AccessRule> rules(String principal, Resource resource, boolean isAllow, Operation... operations) {
    return Stream.of(operations).map(operation -> resource.rule(principal, operation, isAllow)).toList();
  }
}
