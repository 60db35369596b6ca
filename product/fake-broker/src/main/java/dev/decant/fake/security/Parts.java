package dev.decant.fake.security;

import dev.decant.fake.api.Access;
import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.kafka.protocol.ErrorCode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Refuses parts of a request, such as some of its topics. The API's handler handles the other parts, and makes the
 * refusals.
 *
 * @param of returns the parts of a request; null for none
 * @param set sets the parts of a request
 * @param copy returns a request with some parts alone
 * @param check returns why a part is refused
 * @param merge adds the second response to the first one
 * @param <Q> the request
 * @param <R> the response
 * @param <E> a part
 */
record Parts<Q, R, E>(Function<Q, @Nullable List<E>> of, BiConsumer<Q, List<E>> set, Function<List<E>, Q> copy,
    Check<Q, E> check, BinaryOperator<R> merge) implements Guard<Q, R> {

  /**
   * Returns why a part is refused.
   *
   * @param <Q> the request
   * @param <E> the part
   */
  @FunctionalInterface
  interface Check<Q, E> {
    /** Returns {@link ErrorCode#NONE} if it is allowed. */
    ErrorCode error(Q request, E part, Access access);
  }

  @Override
  public void pass(Q request, RequestContext context, Reply<R> reply, ApiHandler<Q, R> next) {
    List<E> all = Objects.requireNonNullElse(of.apply(request), List.of());
    List<E> allowed = new ArrayList<>();
    Map<ErrorCode, List<E>> refused = new LinkedHashMap<>();
    for (E part : all) {
      ErrorCode error = check.error(request, part, context.access());
      (error == ErrorCode.NONE ? allowed : refused.computeIfAbsent(error, key -> new ArrayList<>())).add(part);
    }
    if (refused.isEmpty()) {
      next.handle(request, context, reply);
      return;
    }
    List<R> refusals = new ArrayList<>();
    refused.forEach((error, parts) -> refusals.add(next.refuse(copy.apply(parts), context, error)));
    R refusal = refusals.stream().reduce(merge).orElseThrow();
    if (!allowed.isEmpty()) {
      set.accept(request, allowed);
      next.handle(request, context,
          ChangingReply.ofRefusal(reply, response -> merge.apply(response, refusal)));
    } else if (next.wantsResponse(request)) {
      reply.complete(refusal);
    } else {
      reply.closeConnection("a request without a response is refused: " + refused.keySet());
    }
  }

  /** Appends one list to the other. */
  static <T> List<T> both(List<T> first, List<T> second) {
    List<T> both = new ArrayList<>(first);
    both.addAll(second);
    return both;
  }
}
