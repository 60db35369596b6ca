package dev.decant.fake;

import dev.decant.fake.security.AccessRule;
import dev.decant.fake.security.AccessRules;
import dev.decant.fake.security.Credential;
import dev.decant.fake.security.Logins;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/**
 * Users and rights of a running cluster. Changes hold for what comes after them: open connections go on after a change
 * of a password, as with real brokers, and rights are looked at with each request. Any thread.
 *
 * <p>A rule that denies is stronger than those that allow. With rules that deny alone, all else is allowed. With the
 * first rule that allows, and with a super user, all that no rule allows is denied.
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

  /** Has the users, tokens and rules of the beginning. Owner of the loop only. */
  void reset() {
    logins.restore();
    rules.restore();
  }

  /**
   * Has a user log in with a password by PLAIN and SCRAM from now on; an earlier password is wrong then.
   *
   * @param name the user; his principal is {@code User:name}
   * @param password the password
   */
  public void user(String name, String password) {
    Credential credential = logins.credentialOf(password);
    owner.run(() -> logins.user(name, credential));
  }

  /** Has a user log in no more. */
  public void removeUser(String name) {
    owner.run(() -> logins.removeUser(name));
  }

  /**
   * Takes a token of OAUTHBEARER from now on.
   *
   * @param token its characters, of RFC 6750; not read, so a JWT will do as well as any other one
   * @param user whose it is
   * @param expires when it expires, by the cluster's clock: the session of the client ends then
   */
  public void token(String token, String user, Instant expires) {
    owner.run(() -> logins.token(token, user, expires.toEpochMilli()));
  }

  /** Takes a token of OAUTHBEARER no more. */
  public void revokeToken(String token) {
    owner.run(() -> logins.revokeToken(token));
  }

  /**
   * Allows operations.
   *
   * @param principal whom, such as {@code User:alice}; {@code User:*} for all
   * @param resource what it is about
   * @param operations what is allowed
   * @throws IllegalArgumentException if the principal does not begin with {@code User:}
   */
  public void allow(String principal, Resource resource, Operation... operations) {
    List<AccessRule> added = rules(principal, resource, true, operations);
    owner.run(() -> added.forEach(rules::add));
  }

  /**
   * Denies operations, whatever other rules allow.
   *
   * @param principal whom, such as {@code User:alice}; {@code User:*} for all
   * @param resource what it is about
   * @param operations what is denied
   * @throws IllegalArgumentException if the principal does not begin with {@code User:}
   */
  public void deny(String principal, Resource resource, Operation... operations) {
    List<AccessRule> added = rules(principal, resource, false, operations);
    owner.run(() -> added.forEach(rules::add));
  }

  /**
   * Takes rules away that {@link #allow} or {@link #deny} has added in the same words.
   *
   * @param principal of the rules
   * @param resource of the rules
   * @param operations of the rules
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
