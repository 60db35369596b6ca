package dev.decant.fake.security;

import dev.decant.fake.api.Access;
import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.kafka.protocol.ErrorCode;

/**
 * Passes requests of a client with limited rights to the handler of their API, as far as the client has the rights.
 *
 * @param <Q> the request
 * @param <R> the response
 */
@FunctionalInterface
interface Guard<Q, R> {
  /**
   * Passes a request on, or a part of it, or nothing.
   *
   * @param request may be changed
   * @param context client of the request
   * @param reply takes the response, with the refused parts
   * @param next handles the allowed part
   */
  void pass(Q request, RequestContext context, Reply<R> reply, ApiHandler<Q, R> next);

  /**
   * Returns why a whole request is refused.
   *
   * @param <Q> the request
   */
  @FunctionalInterface
  interface Check<Q> {
    /** Returns {@link ErrorCode#NONE} if it is allowed. */
    ErrorCode error(Q request, Access access);
  }

  /**
   * Changes a response.
   *
   * @param <Q> the request
   * @param <R> the response
   */
  @FunctionalInterface
  interface Change<Q, R> {
    /** Changes a response to a request. */
    R changed(Q request, RequestContext context, R response);
  }

  /** Returns a guard that refuses all of a request, or nothing. */
  static <Q, R> Guard<Q, R> whole(Check<Q> check) {
    return (request, context, reply, next) -> {
      ErrorCode error = check.error(request, context.access());
      if (error == ErrorCode.NONE) {
        next.handle(request, context, reply);
      } else if (next.wantsResponse(request)) {
        reply.complete(next.refuse(request, context, error));
      } else {
        reply.closeConnection("a request without a response is refused: " + error);
      }
    };
  }

  /** Returns a guard that removes from responses what the client may not know. */
  static <Q, R> Guard<Q, R> after(Change<Q, R> change) {
    return (request, context, reply, next) -> next.handle(request, context,
        ChangingReply.of(reply, response -> change.changed(request, context, response)));
  }

  /** Returns a guard that applies this one first, and then another one. */
  default Guard<Q, R> then(Guard<Q, R> second) {
    return (request, context, reply, next) -> pass(request, context, reply, new GuardedHandler<>(next, second));
  }

  /** Returns this guard for the requests of some versions alone. */
  default Guard<Q, R> inVersions(int from, int to) {
    return (request, context, reply, next) -> {
      if (context.version() >= from && context.version() <= to) {
        pass(request, context, reply, next);
      } else {
        next.handle(request, context, reply);
      }
    };
  }
}
