/**
 * What a client's work costs without a client: loops over a blocking connection to the broker, and loops of the JDK
 * alone. They are the naive forms that clients are compared with.
 */
@NullMarked
package dev.decant.lab.driver.bare;

import org.jspecify.annotations.NullMarked;
