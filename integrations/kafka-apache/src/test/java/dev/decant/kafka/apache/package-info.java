/** Tests of Apache's interfaces on Decant. */
@NullMarked
package dev.decant.kafka.apache;

import org.jspecify.annotations.NullMarked;
