/** DomainsView: what is for sale and for how much; reprice, delist and list. */

import type { ComponentChildren } from 'preact';
import type { Commands } from '../commands.js';
import { formatPrice } from '../format.js';
import { fragmentOf } from '../route.js';
import { soldDomains, type SoldDomain } from '../sold-domains.js';
import type { FoundDomains } from '../state.js';
import type { ListingView } from '../wire.js';
import { Button, List, Row } from './controls.js';
import { Facts } from './facts.js';
import { Field, Form } from './form.js';
import { Split } from './split.js';
import type { ViewProps } from './view-props.js';

export function DomainsView({ state, emulator, commands }: ViewProps) {
  const { domains, route, search } = state;
  if (domains === undefined) return <p class="empty">Reading …</p>;
  const open = domains.open?.domain === route.id ? domains.open : undefined;
  const sold = soldDomains(emulator, domains.listings, search);
  const sale = sold.find(({ domain }) => domain === route.id);
  return (
    <>
      <p class="muted">
        Sandbox inventory{search === '' ? '' : `: domains with “${search}”`}. Search to find more.
      </p>
      <Split
        tab="domains"
        label="Domains"
        list={<DomainList domains={domains} sold={sold} search={search} />}
        title={open?.domain}
        details={
          open !== undefined && <DomainDetails open={open} sale={sale} commands={commands} />
        }
      />
    </>
  );
}

interface DomainListProps {
  readonly domains: FoundDomains;
  readonly sold: readonly SoldDomain[];
  readonly search: string;
}

function DomainList({ domains: { listings }, sold, search }: DomainListProps) {
  if (listings.length + sold.length === 0) {
    return (
      <p class="empty">
        Nothing for sale was found.{' '}
        {search.includes('.') && (
          <a href={fragmentOf('domains', search.trim().toLowerCase())}>Why not, or list it</a>
        )}
      </p>
    );
  }
  return (
    <List kind="domain" columns={['Domain', 'Price', 'State']}>
      {sold.map(({ soldAs, ...domain }) => (
        <DomainRow key={soldAs} {...domain}>
          <i class="muted">sold as {soldAs}</i>
        </DomainRow>
      ))}
      {listings.map((listing) => (
        <DomainRow key={listing.domain} {...listing}>
          {listing.reserved_until !== undefined && 'reserved by a quote'}
        </DomainRow>
      ))}
    </List>
  );
}

interface DomainRowProps {
  readonly domain: string;
  readonly price_cents: number;
  readonly currency: string;
  readonly children: ComponentChildren;
}

function DomainRow({ domain, price_cents, currency, children }: DomainRowProps) {
  return (
    <li>
      <Row kind="domain" id={domain}>
        <b>{domain}</b>
        <span class="number">{formatPrice(price_cents, currency)}</span>
        <span class="fault">{children}</span>
      </Row>
    </li>
  );
}

interface DomainDetailsProps {
  readonly sale: SoldDomain | undefined;
  readonly open: NonNullable<FoundDomains['open']>;
  readonly commands: Commands;
}

function DomainDetails({ open: { domain, found }, sale, commands }: DomainDetailsProps) {
  if (typeof found === 'string') {
    return (
      <>
        <p>
          {sale === undefined ? (
            found
          ) : (
            <>
              Sold as <a href={fragmentOf(sale.tab, sale.soldAs)}>{sale.soldAs}</a>
            </>
          )}
        </p>
        <PriceForm
          title="List it"
          priceCents={250_000}
          onPrice={(price_cents) => commands.act(['/list', { domain, price_cents }])}
        />
      </>
    );
  }
  const { price_cents, floor_price_cents, currency, reserved_until } = found;
  return (
    <>
      <Facts
        facts={[
          ['Price', formatPrice(price_cents, currency)],
          ['Floor price', formatPrice(floor_price_cents, currency)],
          ['Reserved until', reserved_until],
          ...Object.entries(found.metadata).map(factOf),
        ]}
      />
      <PriceForm
        key={price_cents}
        title="Reprice"
        priceCents={price_cents}
        onPrice={(price_cents) => commands.act(['/reprice', { domain, price_cents }])}
      />
      <p class="buttons">
        <Button isDanger onPress={() => commands.act(['/delist', { domain }])}>
          Delist
        </Button>
        <span class="muted">takes it off sale</span>
      </p>
    </>
  );
}

function factOf([name, value]: readonly [string, unknown]) {
  return [name, typeof value === 'string' ? value : JSON.stringify(value)] as const;
}

interface PriceFormProps {
  readonly title: string;
  readonly priceCents: ListingView['price_cents'];
  readonly onPrice: (cents: number) => Promise<void>;
}

function PriceForm({ title, priceCents, onPrice }: PriceFormProps) {
  return (
    <Form class="line" label={title} onSend={({ cents }) => onPrice(Number(cents))}>
      <Field label="Price in minor units: 250000 is 2,500.00 USD">
        <input name="cents" type="number" min="1" defaultValue={String(priceCents)} required />
      </Field>
      <button type="submit">{title}</button>
    </Form>
  );
}
