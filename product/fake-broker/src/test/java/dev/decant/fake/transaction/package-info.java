@NullMarked
package dev.decant.fake.transaction;

import org.jspecify.annotations.NullMarked;
