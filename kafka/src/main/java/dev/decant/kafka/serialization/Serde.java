package dev.decant.kafka.serialization;

/**
 * An encoder and a decoder of one type.
 *
 * @param <T> the type
 */
public interface Serde<T> extends Encoder<T>, Decoder<T> {}
